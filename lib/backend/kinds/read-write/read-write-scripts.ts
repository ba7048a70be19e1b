import { LockUnavailableError } from '../../../errors.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import { type Announcement, announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import { type RequestLimits, sendWithDeadline } from '../../commands/deadline-request.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { tornApart } from '../renew-by-shard.js';
import { readTimeout, readWriteLockChannel, readWriteStem } from '../../../keys/redisson-keys.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import type {
  AcquireRequest,
  ForceReleaseRequest,
  HoldRequest,
  ReadRequest,
  Renewal,
  WriteRequest,
} from '../../lock-operations.js';
import type {
  AcquireReply,
  ForceReleaseReply,
  HoldReply,
  InspectReply,
  LockScripts,
  Release,
  ReleaseReply,
  RenewReply,
} from '../lock/lock-scripts.js';
import { type Written, writtenHold } from '../../commands/written.js';
import type { WaitingWriters } from './waiting-writers.js';

/** An owner with `reads` reads, each for `lease` ms from now. */
interface TornRead {
  readonly name: string;
  readonly owner: OwnerId;
  readonly reads: number;
  readonly lease: number;
}

const notKept = (name: string, cause?: unknown): LockUnavailableError => {
  const why = 'Not all time-out keys could be kept while their slot moves';
  return new LockUnavailableError(why, 'unknown', false, { lockName: name, ...(cause !== undefined && { cause }) });
};

/**
 * Keeps reads whose time-out keys may be on another server than their lock while the slot migrates. Sends one command
 * for each key, so that the cluster finds it on either server.
 * @throws LockUnavailableError (`unknown`, since the lock itself was changed already) if a key could not be kept in
 *   time.
 */
const keepTimeouts = async (
  commands: ScriptExecutor,
  { name, owner, reads, lease }: TornRead,
  { notAfter, deadline }: RequestLimits,
): Promise<void> => {
  const keep = async (n: number): Promise<void> => {
    const timeout = readTimeout(name, owner, n);
    const [outcome] = await commands.run(
      scripts.readLock.keepTimeout,
      { timeout },
      { lease, notAfter },
      deadline,
      name,
    );
    if (outcome === 'late') throw notKept(name);
  };
  try {
    await Promise.all(Array.from({ length: reads }, (_, index) => keep(index + 1)));
  } catch (error) {
    throw notKept(name, error);
  }
};

/**
 * Creates the time-out key of an owner's only read, which could not be created with its field while the slot migrates.
 * @throws LockUnavailableError (`unknown`) if the key was not created in time, or the lock was freed before.
 */
export const completeRead = async (
  commands: ScriptExecutor,
  { name, owner, lease }: Omit<TornRead, 'reads'>,
  limits: RequestLimits,
): Promise<void> => {
  await keepTimeouts(commands, { name, owner, reads: 1, lease }, limits);
  // If the whole slot has moved, the reader counted as dead on the new server until its time-out key was there: a
  // release by another reader may have freed the lock, and a writer may have it.
  const { inspect } = scripts.readLock;
  const [, , reads] = await commands.run(inspect, { lock: name }, { owner }, limits.deadline, name);
  if (reads === 0) throw tornApart(name);
};

/** Scripts that have the same arguments and replies in both halves. */
type ScriptsOfHalf = Pick<typeof scripts.readLock, 'forceRelease' | 'inspect'>;

/**
 * The scripts that both halves of a read-write lock run in the same way. Only the hash is declared as a key: the
 * time-out keys are in its slot, and only the server knows which of them exist.
 */
abstract class ReadWriteLockScripts implements LockScripts {
  constructor(
    protected readonly commands: ScriptExecutor,
    private readonly half: ScriptsOfHalf,
  ) {}

  keyOf(name: string): string {
    return name;
  }

  written(name: string, owner: OwnerId): Written {
    return writtenHold(name, owner);
  }

  abstract acquire(request: AcquireRequest, limits: RequestLimits): Promise<AcquireReply>;
  abstract hold(request: HoldRequest, limits: RequestLimits): Promise<HoldReply>;
  abstract renew(renewals: readonly Renewal[], limits: RequestLimits): Promise<RenewReply>;
  abstract release(request: Release, deadline: number): Promise<ReleaseReply>;

  forceRelease({ name }: ForceReleaseRequest, { notAfter, deadline }: RequestLimits): Promise<ForceReleaseReply> {
    const args = { ...this.announcing(name), notAfter };
    return this.commands.run(this.half.forceRelease, { lock: name }, args, deadline, name);
  }

  inspect(name: string, owner: OwnerId | undefined, deadline: number): Promise<InspectReply> {
    return this.commands.run(this.half.inspect, { lock: name }, { owner: owner ?? '' }, deadline, name);
  }

  protected locksOf(renewals: readonly Renewal[]): readonly string[] {
    return renewals.map(({ name }) => name);
  }

  /** For each lock its owner, the lease in ms, and the prefix of its companion keys. */
  protected holdersOf(renewals: readonly Renewal[]): readonly string[] {
    return renewals.flatMap(({ name, owner, lease }) => [owner, String(lease), readWriteStem(name)]);
  }

  protected announcing(name: string): Announcement {
    return announcementOn(this.commands, readWriteLockChannel(name));
  }
}

/**
 * The write half of a read-write lock on Redisson's data: hash `name` with field `mode`, and for the writer a field
 * `owner:write`, value hold count.
 */
export class WriteLockScripts extends ReadWriteLockScripts {
  constructor(
    commands: ScriptExecutor,
    private readonly writers: WaitingWriters,
  ) {
    super(commands, scripts.writeLock);
  }

  override written(name: string, owner: OwnerId): Written {
    return writtenHold(name, `${owner}:write`);
  }

  acquire(request: WriteRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply> {
    const { name, owner, lease, waiting } = request;
    // A request that came too late is sent again, perhaps after the writer was withdrawn.
    const writer = waiting && !this.writers.isWithdrawn(waiting) ? waiting : undefined;
    const { id: waiter, slot } = writer ?? { id: '', slot: 0 };
    const args = { stem: readWriteStem(name), owner, lease, waiter, slot, notAfter };
    const reply = this.commands.run(scripts.writeLock.acquire, { lock: name }, args, deadline, name);
    return writer ? this.writers.during(name, writer, notAfter, reply) : reply;
  }

  hold({ name, owner, count, lease }: HoldRequest, { notAfter, deadline }: RequestLimits): Promise<HoldReply> {
    const args = { stem: readWriteStem(name), owner, count, lease, notAfter, ...this.announcing(name) };
    return this.commands.run(scripts.writeLock.hold, { lock: name }, args, deadline, name);
  }

  renew(renewals: readonly Renewal[], { notAfter, deadline }: RequestLimits): Promise<RenewReply> {
    const args = { notAfter, holders: this.holdersOf(renewals) };
    return this.commands.run(scripts.writeLock.renew, { locks: this.locksOf(renewals) }, args, deadline);
  }

  release({ name, owner }: Release, deadline: number): Promise<ReleaseReply> {
    const args = { stem: readWriteStem(name), owner, ...this.announcing(name) };
    return this.commands.run(scripts.writeLock.release, { lock: name }, args, deadline, name);
  }
}

/**
 * The read half of a read-write lock on Redisson's data: hash `name` with field `mode` and for each reader a field
 * `owner`, value hold count; beside it a time-out key for each read.
 */
export class ReadLockScripts extends ReadWriteLockScripts {
  constructor(
    commands: ScriptExecutor,
    private readonly scheduler: MonotonicScheduler,
  ) {
    super(commands, scripts.readLock);
  }

  async acquire(request: ReadRequest, limits: RequestLimits): Promise<AcquireReply> {
    const { name, owner, lease, behindWriters = false } = request;
    const { notAfter, deadline } = limits;
    const args = { stem: readWriteStem(name), owner, lease, behindWriters: behindWriters ? 1 : 0, notAfter };
    const reply = await this.commands.run(scripts.readLock.acquire, { lock: name }, args, deadline, name);
    const [outcome, remaining, detail, now] = reply;
    if (outcome !== 'torn') return [outcome, remaining, detail, now];
    await completeRead(this.commands, { name, owner, lease }, limits);
    return ['acquired', remaining, detail, now];
  }

  async hold({ name, owner, count, lease }: HoldRequest, limits: RequestLimits): Promise<HoldReply> {
    const { notAfter, deadline } = limits;
    const args = { stem: readWriteStem(name), owner, count, lease, notAfter, ...this.announcing(name) };
    const [outcome, now] = await this.commands.run(scripts.readLock.hold, { lock: name }, args, deadline, name);
    if (outcome !== 'torn') return [outcome, now];
    await keepTimeouts(this.commands, { name, owner, reads: count, lease }, limits);
    return ['held', now];
  }

  async renew(renewals: readonly Renewal[], limits: RequestLimits): Promise<RenewReply> {
    const { notAfter, deadline } = limits;
    const args = { notAfter, holders: this.holdersOf(renewals) };
    const reply = await this.commands.run(scripts.readLock.renew, { locks: this.locksOf(renewals) }, args, deadline);
    const [outcome, now, ...held] = reply;
    const keep = async (flag: number, index: number): Promise<number> => {
      const renewal = renewals[index];
      if (flag >= 0 || !renewal) return flag;
      const keeping = keepTimeouts(this.commands, { ...renewal, reads: -flag }, limits);
      // Only this renewal stays unknown; the others are renewed.
      return keeping.then(
        () => 1,
        () => flag,
      );
    };
    return [outcome, now, ...(await Promise.all(held.map(keep)))];
  }

  /** Refused after the deadline, unlike the release of other kinds: a writer may read again under the same id. */
  release({ name, owner }: Release, deadline: number): Promise<ReleaseReply> {
    return sendWithDeadline(this.commands, this.scheduler, {
      key: name,
      deadline,
      send: ({ notAfter }) => {
        const timed = { stem: readWriteStem(name), owner, ...this.announcing(name), notAfter };
        return this.commands.run(scripts.readLock.release, { lock: name }, timed, deadline, name);
      },
      read: ([outcome, now]): ReleaseReply | undefined => {
        return outcome === 'late' ? undefined : [outcome, now];
      },
    });
  }
}
