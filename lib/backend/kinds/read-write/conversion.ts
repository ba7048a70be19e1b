import type { OwnerId } from '../../../context/owner-ids.js';
import type { HoldOutcome } from '../../lock-operations.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import { readWriteLockChannel, readWriteStem } from '../../../keys/redisson-keys.js';
import { type DeadlineRequest, RedisOperations } from '../../commands/deadline-request.js';
import { announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { completeRead } from './read-write-scripts.js';
import type { RedisReadLock, RedisWriteLock } from './read-write-lock.js';

/** Request of an owner of one half of a read-write lock to make another owner the holder of the other half. */
export interface ConversionRequest {
  readonly name: string;
  /** The present owner. Its hold ends, whatever its hold count was. */
  readonly from: OwnerId;
  /** The owner that goes on with the lock; its id was never used before. */
  readonly to: OwnerId;
  /** Milliseconds for which `to` holds the lock from now. */
  readonly lease: number;
}

/**
 * `lost`: `from` does not hold its half any more. `unconfirmed`: it is unknown which of the two holds the lock, or too
 * few replicas know; both are released, in the background if need be. `reason`: why.
 */
export type ConversionOutcome = HoldOutcome | { readonly outcome: 'unconfirmed'; readonly reason: unknown };

/** `others`: that many other owners read. `writes`: the reader is the writer as well. Nothing was changed. */
export type UpgradeOutcome =
  ConversionOutcome | { readonly outcome: 'others'; readonly readers: number } | { readonly outcome: 'writes' };

type Half = RedisReadLock | RedisWriteLock;

/** The script of a conversion, and how its reply is read. */
type Question<Reply, T> = Pick<DeadlineRequest<Reply, T>, 'send' | 'read'>;

/**
 * Makes readers writers and writers readers in Redis.
 *
 * How a hold of one half of a read-write lock becomes a hold of the other half. Each is atomic: no other owner has the
 * lock in between. They reject with `LockUnavailableError` if nothing was changed.
 */
export class RedisConversion extends RedisOperations {
  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly reads: RedisReadLock,
    private readonly writes: RedisWriteLock,
  ) {
    super(commands, scheduler);
  }

  /** Makes a reader the writer, under another id, if no other owner reads. Waiting writers are overtaken. */
  upgrade(request: ConversionRequest): Promise<UpgradeOutcome> {
    const { name, ...owners } = request;
    return this.convert(request, this.reads, this.writes, {
      send: ({ notAfter, deadline }) => {
        const announcement = announcementOn(this.commands, readWriteLockChannel(name));
        const args = { stem: readWriteStem(name), ...owners, ...announcement, notAfter };
        return this.commands.run(scripts.readLock.upgrade, { lock: name }, args, deadline, name);
      },
      read: ([outcome, readers], sent): UpgradeOutcome | undefined => {
        if (outcome === 'held') return { outcome, sent };
        if (outcome === 'others') return { outcome, readers };
        return outcome === 'late' ? undefined : { outcome };
      },
    });
  }

  /** Makes the writer a reader, under another id, and lets other readers in. Reads of the writer stay as they are. */
  downgrade(request: ConversionRequest): Promise<ConversionOutcome> {
    const { name, to, lease } = request;
    return this.convert(request, this.writes, this.reads, {
      send: async (limits) => {
        const { notAfter, deadline } = limits;
        const announcement = announcementOn(this.commands, readWriteLockChannel(name));
        const args = { stem: readWriteStem(name), from: request.from, to, lease, ...announcement, notAfter };
        const [outcome] = await this.commands.run(scripts.writeLock.downgrade, { lock: name }, args, deadline, name);
        if (outcome !== 'torn') return outcome;
        await completeRead(this.commands, { name, owner: to, lease }, limits);
        return 'held';
      },
      read: (outcome, sent): HoldOutcome | undefined => {
        if (outcome === 'held') return { outcome, sent };
        return outcome === 'lost' ? { outcome } : undefined;
      },
    });
  }

  /**
   * Is sent once: after a reply that was lost, no later reply would say that the first request has no effect any more.
   * @param before The half that `from` holds.
   * @param after The half that `to` is to hold.
   */
  private async convert<Reply, T extends { readonly outcome: string }>(
    { name, from, to, lease }: ConversionRequest,
    before: Half,
    after: Half,
    question: Question<Reply, T>,
  ): Promise<T | ConversionOutcome> {
    let latest: number | undefined;
    const onUnknown = (notAfter: number): void => void (latest = notAfter);
    const asked = this.inTime({ key: name, deadline: this.deadline(lease), ...question, onUnknown });
    const reply = await asked.catch((reason: unknown): ConversionOutcome => {
      if (latest === undefined) throw reason;
      before.disown({ name, owner: from, lease, notAfter: latest });
      after.disown({ name, owner: to, lease, notAfter: latest });
      return { outcome: 'unconfirmed', reason };
    });
    if (reply.outcome !== 'held') return reply;
    const confirming = Promise.resolve(after.confirmed({ name, owner: to, lease }, reply));
    return confirming.catch((reason: unknown): ConversionOutcome => ({ outcome: 'unconfirmed', reason }));
  }
}
