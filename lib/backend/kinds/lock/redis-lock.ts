import { isPassing, wrongKeyType } from '../../../errors.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import { type MonotonicScheduler, Stopwatch } from '../../../time/scheduler.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  ForceReleaseRequest,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockOperations,
  LockState,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../../lock-operations.js';
import type { ScriptExecutor } from '../../commands/script-executor.js';
import { LeftBehind } from './left-behind.js';
import type { AcquireReply, HoldReply, LockScripts, Release, ReleaseReply } from './lock-scripts.js';
import { enoughReplicas } from '../../commands/replication/enough-replicas.js';
import { unexpectedReply } from '../../connection/reply-errors.js';
import type { Replicas } from '../../commands/replication/replica-confirmation.js';
import { BatchedRenewals } from '../batched-renewals.js';
import {
  type DeadlineRequest,
  isUnknown,
  RedisOperations,
  rejectOnceRefused,
  sendWithDeadline,
} from '../../commands/deadline-request.js';
import { sendAgain } from '../../commands/send-again.js';
import { type OrphanedAcquisition, OrphanReleaser } from '../../commands/orphan-releaser.js';
import { UnknownOutcomes } from '../../commands/unknown-outcomes.js';

type RequestTarget = Pick<DeadlineRequest<never, never>, 'key' | 'name' | 'deadline'>;

/**
 * The server's time at which it was certain that the owner holds nothing. An acquisition takes effect once at most, so
 * one that was released is over for good.
 */
const certainAt = (reply: ReleaseReply): number =>
  reply === 'released' || reply.length === 3 ? Number.POSITIVE_INFINITY : reply[1];

/**
 * Locks in Redis. {@link LockScripts} knows the scripts of one kind; this class has the rest, common to all kinds:
 * deadlines, and one effect for each request even if its reply is lost.
 */
export class RedisLock<Request extends AcquireRequest = AcquireRequest, Use = unknown>
  extends RedisOperations
  implements LockOperations
{
  protected readonly orphans: OrphanReleaser;
  protected readonly leftBehind: LeftBehind;
  private readonly unknownOutcomes: UnknownOutcomes;
  private readonly renewals: BatchedRenewals;

  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly scripts: LockScripts<Use>,
    protected readonly replicas?: Replicas,
  ) {
    super(commands, scheduler);
    this.unknownOutcomes = new UnknownOutcomes(scheduler);
    this.renewals = new BatchedRenewals(commands, scheduler, scripts, this.unknownOutcomes);
    this.orphans = new OrphanReleaser(scheduler, async (orphan) => certainAt(await this.tryRelease(orphan)));
    this.leftBehind = new LeftBehind(scheduler, {
      hold: (request) => this.tryHold(request),
      release: (request) => this.tryRelease(request),
    });
  }

  /** One attempt without a place: it neither overtakes a waiter that has one nor joins the queue. */
  acquire(request: Request): Promise<AcquireOutcome<Use>> {
    const { name, owner, lease, silent, isChosen } = request;
    // Not spread from `about`: the spread shows up in profiles of uncontended locks.
    return sendWithDeadline(this.commands, this.scheduler, {
      key: this.scripts.keyOf(name),
      name,
      deadline: this.deadline(lease),
      inTurn: true,
      send: (limits) => this.scripts.acquire(request, limits),
      read: (reply, sent) => this.readAcquired(request, reply, sent),
      onUnknown: (notAfter) => {
        if (!isChosen) this.orphans.releaseInBackground({ name, owner, lease, silent, notAfter });
      },
    });
  }

  private readAcquired(
    request: AcquireRequest,
    reply: AcquireReply<Use>,
    sent: Stopwatch,
  ): AcquireOutcome<Use> | Promise<AcquireOutcome<Use>> | undefined {
    const { name } = request;
    if (reply.length === 2) {
      // Any reply may contain numbers; this one must equal the requested lease.
      if (reply[0] !== request.lease) throw unexpectedReply(reply);
      return this.confirmed(request, { outcome: 'acquired', sent });
    }
    const [outcome, remaining, detail, , fence, use] = reply;
    if (outcome === 'acquired') {
      if (use) return this.confirmed(request, { outcome, sent, use });
      return this.confirmed(request, fence === undefined ? { outcome, sent } : { outcome, sent, fence });
    }
    if (outcome === 'busy') return { outcome, remaining, holder: detail, ...(use && { use }) };
    if (outcome === 'reserved') return { outcome, remaining, next: detail };
    if (outcome === 'kept-out') return { outcome: 'reserved', remaining, next: detail, isWriter: true };
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return undefined;
  }

  hold(request: HoldRequest): Promise<HoldOutcome> {
    return this.tryHold(request);
  }

  private async tryHold(request: HoldRequest): Promise<HoldOutcome> {
    const { name, owner, lease } = request;
    await this.unknownOutcomes.settled(owner);
    const deadline = this.deadline(lease);
    const asked = this.inTime({
      ...this.about(name, deadline),
      // A renewal in flight may have become unknown while this waited for a connection, or for a reply to a first try.
      send: (limits): Promise<HoldReply | undefined> =>
        this.unknownOutcomes.isSettled(owner) ? this.scripts.hold(request, limits) : Promise.resolve(undefined),
      read: (reply, sent): HoldOutcome | Promise<HoldOutcome> | undefined => {
        if (!reply) return this.tryHold(request);
        const [outcome] = reply;
        if (outcome === 'held') return { outcome, sent };
        return outcome === 'lost' ? { outcome } : undefined;
      },
    });
    return asked.catch((error: unknown) => this.unknownOutcomes.rejectOnceSettled(owner, deadline, error));
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    return this.renewals.renew(renewals);
  }

  release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    const sent = request.again && new Stopwatch(this.scheduler);
    return this.tryRelease(request).then(
      (reply) => this.readReleased(reply, sent) ?? this.releaseAgain(request, unexpectedReply(reply)),
      (error: unknown) => this.releaseAgain(request, error),
    );
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    return this.leftBehind.leave(request);
  }

  /**
   * The only operation that ends another owner's hold. The server refuses it after the deadline: the caller has been
   * notified of the failure by then, and a late release would end the hold of the next owner.
   */
  forceRelease(request: ForceReleaseRequest): Promise<boolean> {
    const { name } = request;
    const deadline = this.deadline();
    const asked = this.inTime({
      ...this.about(name, deadline),
      send: (limits) => this.scripts.forceRelease(request, limits),
      read: ([outcome, detail]): boolean | undefined => {
        if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
        return outcome === 'late' ? undefined : outcome === 'released';
      },
    });
    return asked.catch((error: unknown) => rejectOnceRefused(this.scheduler, deadline, error));
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const inspect = (deadline: number) => this.scripts.inspect(name, owner, deadline);
    const [outcome, detail, count, remaining] = await this.whenReady(this.scripts.keyOf(name), inspect, name);
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return { locked: outcome === 'locked', count, remaining };
  }

  /** Resolves when nothing is left to undo, or after `ms`, and ends the background releases. */
  async finish(ms: number): Promise<void> {
    await Promise.all([this.orphans.finish(ms), this.leftBehind.finish(ms)]);
  }

  protected about(name: string, deadline: number): RequestTarget {
    return { key: this.scripts.keyOf(name), name, deadline };
  }

  /**
   * Resolves with the outcome once enough replicas have the hold of a new owner: the next fail-over would lose what they
   * do not have.
   * @throws LockUnavailableError, after the hold was released, unless an application has chosen its owner.
   */
  confirmed<T>(request: AcquireRequest, outcome: T): T | Promise<T> {
    return this.replicas ? this.confirmReplicas(request, this.replicas).then(() => outcome) : outcome;
  }

  private async confirmReplicas(request: AcquireRequest, replicas: Replicas): Promise<void> {
    const { commands, scripts } = this;
    const { name, owner, isChosen } = request;
    const written = scripts.written(name, owner);
    const so = isChosen ? 'it is left to its lease' : 'it was released';
    const lacking = { name, what: `lock "${name}"`, so, outcome: 'refused' } as const;
    await enoughReplicas(commands, replicas, written, lacking).catch(async (error: unknown) => {
      // A failed release goes on in the background.
      if (!isChosen) await this.release(request).catch(() => {});
      throw error;
    });
  }

  /** Releases an owner that may hold the lock, or may still get it, in the background. */
  disown(orphan: OrphanedAcquisition): void {
    this.orphans.releaseInBackground(orphan);
  }

  protected tryRelease(request: Release): Promise<ReleaseReply> {
    const { name } = request;
    return this.whenReady(this.scripts.keyOf(name), (deadline) => this.scripts.release(request, deadline), name);
  }

  /** @param sent Started before the command left, if the lock may have been kept. `undefined`: the reply is malformed. */
  private readReleased(reply: ReleaseReply, sent?: Stopwatch): ReleaseOutcome | undefined {
    if (reply === 'released') return { outcome: reply, heard: 0, asking: 0 };
    if (reply.length === 3) return { outcome: 'released', heard: reply[0], asking: reply[1] };
    const [first] = reply;
    if (first === 'passed-on') return { outcome: first, sent };
    if (first !== 'kept') return { outcome: first };
    return sent && { outcome: first, sent };
  }

  protected releaseInBackground({ name, owner, lease, silent }: ReleaseRequest): void {
    this.orphans.releaseInBackground({ name, owner, lease, silent, notAfter: 0 });
  }

  /** Repeats a release, which may be executed twice. If the outcome is still unknown, goes on in the background. */
  private async releaseAgain(request: ReleaseRequest, first: unknown): Promise<ReleaseOutcome> {
    const goOn = (error: unknown): void =>
      isPassing(error) ? this.releaseInBackground(request) : request.again?.onSettled();
    if (!isPassing(first)) goOn(first);
    const sent = request.again && new Stopwatch(this.scheduler);
    const read = (reply: ReleaseReply) => this.readReleased(reply, sent) ?? Promise.reject(unexpectedReply(reply));
    const released = await sendAgain(first, () => this.tryRelease(request).then(read), goOn);
    const onlyReplyWasLost = released.outcome === 'not-held' && isUnknown(first);
    return onlyReplyWasLost ? { outcome: 'released-before' } : released;
  }
}
