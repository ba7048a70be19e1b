import type { LockKindName } from '../events/life-cycle-events.js';
import { partsOfGroupLock } from '../keys/group-field.js';
import type { StoredHolder, StoredState } from '../backend/inspection-operations.js';
import type { InspectedLock } from './inspected-lock.js';
import { inspectedState, type InspectionServices, type OwnIds, ownersOf } from './inspected-state.js';

/** How what is stored under a name is called if it is of another kind than the lock that asks. */
const NAMES = {
  exclusive: 'an exclusive lock',
  read: 'a read-write lock',
  write: 'a read-write lock',
  group: 'a group lock',
} as const;

const FAMILIES: Readonly<Record<string, keyof typeof NAMES>> = { read: 'read', write: 'read', group: 'group' };

/** The state of a name, as a lock of one kind sees it: what another kind has stored there is a problem. */
export const asOfKind = (stored: StoredState, kind: LockKindName): StoredState => {
  const { shape } = stored;
  if (!(shape === 'exclusive' || shape === 'read' || shape === 'write' || shape === 'group')) return stored;
  if ((FAMILIES[shape] ?? 'exclusive') === (FAMILIES[kind] ?? 'exclusive')) return stored;
  const problem = `the name belongs to ${NAMES[shape]}`;
  return { ...stored, shape: 'foreign', problem: stored.problem ? `${problem}; ${stored.problem}` : problem };
};

/** The holders of any of the fields, with those of their fields that are among them. */
const holdersOf = (holders: readonly StoredHolder[], fields: readonly string[]): readonly StoredHolder[] =>
  holders.flatMap((holder) => {
    const held = holder.fields?.filter((field) => fields.includes(field)) ?? [];
    return held.length > 0 ? [{ ...holder, fields: held }] : [];
  });

const inspectGroup = async ({ backend, owners }: InspectionServices, name: string): Promise<InspectedLock> => {
  const { group, fields } = partsOfGroupLock(name);
  const stored = asOfKind(await backend.inspection.lock(group), 'group');
  const holders = stored.shape === 'group' ? holdersOf(stored.holders, fields) : stored.holders;
  return inspectedState(name, 'group', { ...stored, holders, holderCount: holders.length }, ownersOf(owners));
};

/** A limit, with how many of its permits are in use. */
export const inspectedLimit = (name: string, stored: StoredState, own: OwnIds): InspectedLock => {
  const inspected = inspectedState(name, 'limit', stored, own);
  const { holderCount: inUse, number: total } = stored;
  return total === undefined ? inspected : { ...inspected, permits: { available: total - inUse, inUse, total } };
};

/** Inspects a lock on the server of its connection. */
export const inspectLock = async (
  services: InspectionServices,
  kind: LockKindName,
  name: string,
): Promise<InspectedLock> => {
  if (kind === 'group') return inspectGroup(services, name);
  const own = ownersOf(services.owners);
  if (kind === 'limit') return inspectedLimit(name, await services.backend.inspection.limit(name), own);
  const stored = asOfKind(await services.backend.inspection.lock(name), kind);
  return inspectedState(name, kind, stored, own);
};
