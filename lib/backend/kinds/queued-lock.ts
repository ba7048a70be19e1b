import type { OwnerId } from '../../context/owner-ids.js';
import type { MonotonicScheduler, Stopwatch } from '../../time/scheduler.js';
import type { AcquireRequest } from '../lock-operations.js';
import { isPassing } from '../../errors.js';
import type { RequestLimits } from '../commands/deadline-request.js';
import { OrphanReleaser } from '../commands/orphan-releaser.js';
import type { Replicas } from '../commands/replication/replica-confirmation.js';
import type { ScriptExecutor } from '../commands/script-executor.js';
import { UnknownOutcomes } from '../commands/unknown-outcomes.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import type { LockScripts } from './lock/lock-scripts.js';
import { RedisLock } from './lock/redis-lock.js';

/** A waiter's request for `name`, granted in the order of the queue. */
export interface QueueRequest extends AcquireRequest {
  /** Milliseconds for which a place is kept without a sign of life from its owner. */
  readonly slot: number;
  /** Milliseconds for which the lock may be given to it. Absent, or 0: it is told, and asks. */
  readonly firstLease?: number;
}

/** @typeParam Use How much is in use, if several owners may hold it at once. */
export type QueueOutcome<Use = never> =
  /** `sent`: started just before the command left; the lease is counted from there. */
  { readonly outcome: 'acquired'; readonly sent: Stopwatch; readonly use?: Use | undefined } | QueuedOutcome<Use>;

/** `queued`: appended to the queue just now. `waiting`: in the queue since an earlier request. */
export interface QueuedOutcome<Use = never> {
  readonly outcome: 'queued' | 'waiting';
  /** The owner that must end before the lock is free, or the one that gets it next. */
  readonly holder: OwnerId;
  /** Milliseconds until the holder's lease ends by itself, or the place of the next owner does; -1 if it never does. */
  readonly remaining: number;
  /** First owner of the queue. */
  readonly head: OwnerId;
  /** Whether waiters of Redisson may be ahead, which tell the next one on its own channel. */
  readonly isMixed: boolean;
  readonly use?: Use | undefined;
}

/** Waiters of one name that have stopped waiting. */
export interface LeaveRequest {
  readonly name: string;
  readonly owners: readonly OwnerId[];
  /** Milliseconds for which the server may go on counting a hold that one of their attempts may have acquired. */
  readonly lease: number;
  readonly slot: number;
}

/** Waiters of one name that are still waiting. */
export interface KeepRequest {
  readonly name: string;
  readonly owners: readonly OwnerId[];
  readonly slot: number;
}

export interface QueueReply<Use = never> {
  readonly outcome: 'acquired' | 'queued' | 'waiting' | 'late';
  readonly remaining: number;
  readonly holder: OwnerId;
  readonly now: number;
  readonly head: OwnerId;
  readonly isMixed: boolean;
  readonly use?: Use | undefined;
}

/** The scripts of a kind with a queue on the server. */
export interface QueueScripts<Use = never> extends LockScripts<Use> {
  queue(request: QueueRequest, limits: RequestLimits): Promise<QueueReply<Use>>;
  /** Resolves with the server's time. */
  leave(request: Omit<LeaveRequest, 'lease'>, deadline: number): Promise<number>;
  /** Resolves with one number for each owner; 1 if it has a place. */
  keep(request: KeepRequest, deadline: number): Promise<readonly number[]>;
}

/** Locks in Redis whose waiters may queue on the server. */
export class QueuedLock<
  Request extends AcquireRequest = AcquireRequest,
  Queueing extends QueueRequest = QueueRequest,
  Use = never,
> extends RedisLock<Request, Use> {
  private readonly leaving: OrphanReleaser<LeaveRequest & { readonly notAfter: number }>;
  private readonly unknownAttempts: UnknownOutcomes;

  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly queueScripts: QueueScripts<Use>,
    replicas?: Replicas,
  ) {
    super(commands, scheduler, queueScripts, replicas);
    this.leaving = new OrphanReleaser(scheduler, (request) => this.tryLeave(request));
    this.unknownAttempts = new UnknownOutcomes(scheduler);
  }

  /**
   * Acquires the lock, or a permit, if the owner is next and it is free, else gives it a place in the queue. The effect of a
   * failed request is settled by the owner's next request, or by {@link leave}.
   */
  async queue(request: Queueing): Promise<QueueOutcome<Use>> {
    const { name, owner, lease } = request;
    const turn = this.commands.turn(this.queueScripts.keyOf(name), name);
    if (turn) await turn;
    const deadline = this.deadline(lease);
    const asked = this.inTime({
      ...this.about(name, deadline),
      send: (limits) => this.queueScripts.queue(request, limits),
      read: (reply, sent): QueueOutcome<Use> | Promise<QueueOutcome<Use>> | undefined => {
        const { outcome, remaining, holder, head, isMixed, use } = reply;
        if (outcome === 'late') return undefined;
        if (outcome !== 'acquired') return { outcome, remaining, holder, head, isMixed, use };
        return this.confirmed(request, { outcome, sent, use });
      },
    });
    return asked.catch((error: unknown) => this.unknownAttempts.rejectOnceSettled(owner, deadline, error));
  }

  /**
   * Ends waits: gives up the places, and the permits that owners have acquired. If the outcome stays unknown, the backend
   * retries in the background. To be called when no request of the owners is in flight.
   */
  async leave(request: LeaveRequest): Promise<void> {
    try {
      await this.tryLeave(request);
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.leaving.releaseInBackground({ ...request, notAfter: 0 });
    }
  }

  /** Keeps places for another slot. Resolves with whether each owner has one, in order. */
  async keep(request: KeepRequest): Promise<readonly boolean[]> {
    const { name, slot } = request;
    const send = (deadline: number) => this.queueScripts.keep(request, deadline);
    const kept = await this.whenReady(this.queueScripts.keyOf(name), send, name, slot);
    if (kept.length !== request.owners.length) throw unexpectedReply(kept);
    return kept.map((flag) => flag === 1);
  }

  override async finish(ms: number): Promise<void> {
    await Promise.all([super.finish(ms), this.leaving.finish(ms)]);
  }

  /** May be executed twice. Resolves with the server's time. */
  private tryLeave(request: Omit<LeaveRequest, 'lease'>): Promise<number> {
    const { name } = request;
    const send = (deadline: number) => this.queueScripts.leave(request, deadline);
    return this.whenReady(this.queueScripts.keyOf(name), send, name);
  }
}
