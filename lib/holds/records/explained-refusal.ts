import type { InspectionOperations, StoredState } from '../../backend/inspection-operations.js';
import { LockConflictError, LockTimeoutError } from '../../errors.js';
import type { HolderRecord } from '../../inspection/holder-record.js';
import { readRecord } from '../../inspection/read-record.js';
import { type LockFamily, storedName } from '../lock-kind.js';

/** The name that is wanted, and the family of the lock that is acquired under it. */
interface Wanted {
  readonly family: LockFamily;
  readonly name: string;
}

const describe = ({ host, pid, service, method, traceId, since, keptUntil }: HolderRecord): string => {
  const who = [method, service].filter(Boolean).join(' of ') || 'Its holder';
  const trace = traceId === undefined ? '' : `, trace ${traceId}`;
  const begun = new Date(since).toISOString();
  const held =
    keptUntil === undefined
      ? `has held it since ${begun}`
      : `acquired it at ${begun}, has ended its work, and keeps it until ${new Date(keptUntil).toISOString()}`;
  return `${who} on ${host}, process ${pid}, ${held}${trace}`;
};

const stateOf = (inspection: InspectionOperations, wanted: Wanted): Promise<StoredState> =>
  wanted.family === 'limit' ? inspection.limit(wanted.name) : inspection.lock(storedName(wanted));

const recordOf = async (
  inspection: InspectionOperations,
  wanted: Wanted,
  holder: unknown,
): Promise<HolderRecord | undefined> => {
  const { holders } = await stateOf(inspection, wanted);
  const text = holders.find(({ owner }) => owner === holder)?.record;
  return text === undefined ? undefined : readRecord(text);
};

/**
 * The error of a caller that did not get a lock, with what its holder has recorded: in the message, and as
 * `details.record`. The same error if there is no record, or if it cannot be read.
 */
export const explainedRefusal = async (
  inspection: InspectionOperations,
  wanted: Wanted,
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof LockConflictError || error instanceof LockTimeoutError)) return error;
  const { lockName, template, details, cause } = error;
  if (details['holder'] === undefined) return error;
  // The caller is to learn why it was refused, not why more cannot be told.
  const record = await recordOf(inspection, wanted, details['holder']).catch(() => undefined);
  if (!record) return error;
  const context = { lockName, template, details: { ...details, record }, cause };
  const text = `${error.message}. ${describe(record)}`;
  return error instanceof LockConflictError
    ? new LockConflictError(text, context)
    : new LockTimeoutError(text, context);
};
