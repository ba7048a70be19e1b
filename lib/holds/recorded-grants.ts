import type { LockBackend } from '../backend/lock-backend.js';
import type { StoredState } from '../backend/kinds/inspection/inspection-operations.js';
import { isConflict, isPassing, LockConflictError, LockTimeoutError } from '../errors.js';
import { type HolderRecord, readRecord } from '../inspection/holder-record.js';
import { type LockFamily, type LockKind, storedName } from './lock-kind.js';
import { hostname } from 'node:os';
import { onRejection } from '../concurrency.js';
import { ListNode } from '../linked-list.js';
import { DelayedList } from '../time/delayed-list.js';
import { printable } from '../validation/printable.js';
import type { MonotonicScheduler } from '../time/scheduler.js';
import type { LockEvents } from '../events/lock-events.js';
import { GrantRegistry, refusedNote } from './grant-registry.js';
import type { Grant } from './grant.js';

/** The name that is wanted, and the family of the lock that is acquired under it. */
interface Wanted {
  readonly family: LockFamily;
  readonly name: string;
}

const describe = ({ host, pid, service, method, traceId, note, since, keptUntil }: HolderRecord): string => {
  const who = [method, service].filter(Boolean).join(' of ') || 'Its holder';
  const trace = traceId === undefined ? '' : `, trace ${traceId}`;
  const reason = note === undefined ? '' : `, note "${printable(note)}"`;
  const begun = new Date(since).toISOString();
  const held =
    keptUntil === undefined
      ? `has held it since ${begun}`
      : `acquired it at ${begun}, has ended its work, and keeps it until ${new Date(keptUntil).toISOString()}`;
  return `${who} on ${host}, process ${pid}, ${held}${trace}${reason}`;
};

const stateOf = (inspection: LockBackend['inspection'], wanted: Wanted): Promise<StoredState> =>
  wanted.family === 'limit' ? inspection.limit(wanted.name) : inspection.lock(storedName(wanted));

const recordOf = async (
  inspection: LockBackend['inspection'],
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
const explainedRefusal = async (
  inspection: LockBackend['inspection'],
  wanted: Wanted,
  error: unknown,
): Promise<unknown> => {
  if (!isConflict(error)) return error;
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

/** Record that a process makes of itself beside each lock. */
export interface RecordSettings {
  readonly service: string | undefined;
  /** The trace id of the running code, if there is any. */
  readonly traceId: (() => string | undefined) | undefined;
}

/** The longest trace id that is recorded; one of W3C has 32 characters, and a whole `traceparent` 55. */
const LONGEST_TRACE_ID = 128;

/** How long a lock is held before its record is written, ms: hardly anybody reads that of a shorter hold. */
const RECORDED_AFTER_MS = 100;

/** A grant, and what is recorded of it. */
interface RecordedGrant {
  readonly grant: Grant;
  readonly record: HolderRecord;
}

/** The grants of one owner of one lock: the record is about the last of them. */
class RecordedOwner extends ListNode<RecordedOwner> {
  readonly grants: RecordedGrant[] = [];

  /** @param due When the record is to be written, on the scheduler's clock. */
  constructor(readonly due: number) {
    super();
  }

  get last(): RecordedGrant | undefined {
    return this.grants.at(-1);
  }
}

const nameOf = ({ kind: { family }, name }: Grant): string => storedName({ family, name });

/**
 * A registry that writes beside each lock who holds it, with the option `holderRecords`: one command once it has been held
 * for 100 ms, one with each renewal after that and one after the release, none of which is waited for. A record ends with
 * the lease. One that could not be written is written again with the next renewal.
 */
export class RecordedGrants extends GrantRegistry<Grant> {
  private readonly recorded = new Map<string, RecordedOwner>();
  /** Those whose record is not written yet, in the order in which it is due. */
  private readonly unwritten: DelayedList<RecordedOwner>;
  private readonly self: Pick<HolderRecord, 'host' | 'pid' | 'service'>;
  /** The trace id of the caller whose grant is being made. */
  private callers: { readonly traceId: string | undefined } | undefined;
  private isRefused = false;

  constructor(
    private readonly inspection: LockBackend['inspection'],
    private readonly events: LockEvents,
    private readonly settings: RecordSettings,
    private readonly scheduler: MonotonicScheduler,
  ) {
    super();
    this.unwritten = new DelayedList(scheduler, (owner) => this.write(owner));
    const { service } = settings;
    this.self = { host: hostname(), pid: process.pid, ...(service !== undefined && { service }) };
  }

  override add(grant: Grant): void {
    super.add(grant);
    // The servers of a RedLock have no records: a minority of them may be out of date.
    if (grant.kind.family === 'quorum') return;
    const key = this.keyOf(grant);
    const owner = this.recorded.get(key) ?? this.ownerOf(key);
    owner.grants.push({ grant, record: this.recordOf(grant) });
  }

  override delete(grant: Grant): void {
    super.delete(grant);
    const key = this.keyOf(grant);
    const owner = this.recorded.get(key);
    const at = owner?.grants.findIndex((each) => each.grant === grant) ?? -1;
    if (!owner || at === -1) return;
    const [ended] = owner.grants.splice(at, 1);
    if (!owner.last) {
      this.recorded.delete(key);
      this.end(owner, ended);
    } else if (at === owner.grants.length) {
      // The reads of a writer have ended, and it goes on writing.
      this.writeIfDue(owner);
    }
  }

  override renewed(grant: Grant): void {
    const owner = this.recorded.get(this.keyOf(grant));
    if (owner?.last?.grant === grant) this.writeIfDue(owner);
  }

  override checkNote(note: string, { family, owner }: Pick<LockKind, 'family' | 'owner'>): void {
    if (family === 'quorum') throw refusedNote(note, 'locks of getRedLock(name) have no records of their holders');
    if (owner !== undefined) throw refusedNote(note, 'a lock of an owner has no record of its holder');
  }

  /** A grant is often made by the code that releases the lock, which has another trace. */
  override forCaller<A, G>(make: (acquired: A) => G): (acquired: A) => G {
    const callers = { traceId: this.traceId() };
    return (acquired) => {
      this.callers = callers;
      try {
        return make(acquired);
      } finally {
        this.callers = undefined;
      }
    };
  }

  override readonly explain = (error: unknown, family: LockFamily, name: string): Promise<unknown> =>
    explainedRefusal(this.inspection, { family, name }, error);

  private recordOf({ method, origin }: Grant): HolderRecord {
    const note = origin?.note;
    const { traceId } = this.callers ?? { traceId: this.traceId() };
    return {
      ...this.self,
      ...(method !== undefined && { method }),
      ...(traceId !== undefined && { traceId }),
      ...(note !== undefined && { note }),
      since: Date.now(),
    };
  }

  private traceId(): string | undefined {
    try {
      const id: unknown = this.settings.traceId?.();
      onRejection(id, (error) => this.events.emit({ type: 'unexpected', error }));
      return typeof id === 'string' && id !== '' ? id.slice(0, LONGEST_TRACE_ID) : undefined;
    } catch (error) {
      this.events.emit({ type: 'unexpected', error });
      return undefined;
    }
  }

  private keyOf({ name, owner }: Grant): string {
    return `${owner} ${name}`;
  }

  private ownerOf(key: string): RecordedOwner {
    const owner = new RecordedOwner(this.scheduler.now() + RECORDED_AFTER_MS);
    this.recorded.set(key, owner);
    this.unwritten.append(owner);
    return owner;
  }

  private writeIfDue(owner: RecordedOwner): void {
    if (!this.unwritten.has(owner)) this.write(owner);
  }

  private write({ last }: RecordedOwner): void {
    const lease = last?.grant.lease.remainingOnServer ?? 0;
    if (last && lease > 0) this.keep(last.grant, last.record, lease);
  }

  /** A lock that is kept for its minimum hold time, such as that of a tick, keeps the record of its last holder. */
  private end(owner: RecordedOwner, ended: RecordedGrant | undefined): void {
    const isWritten = !this.unwritten.delete(owner);
    if (!ended) return;
    const { grant, record } = ended;
    const lease = grant.holds.minHoldLeft;
    if (lease > 0) this.keep(grant, { ...record, keptUntil: Date.now() + lease }, lease);
    else if (isWritten) this.send(this.inspection.dropRecord(nameOf(grant), grant.owner));
  }

  private keep(grant: Grant, record: HolderRecord, lease: number): void {
    const text = JSON.stringify(record);
    this.send(this.inspection.keepRecord({ name: nameOf(grant), owner: grant.owner, text, lease }));
  }

  /** A record decides nothing, so no caller learns of a failure; one that will come again is told once. */
  private send(sent: Promise<void>): void {
    sent.catch((error: unknown) => {
      if (isPassing(error) || this.isRefused) return;
      this.isRefused = true;
      this.events.emit({ type: 'unexpected', error });
    });
  }
}
