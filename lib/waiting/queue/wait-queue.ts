import { LinkedList } from '../../linked-list.js';
import type { WaitEnd } from '../../time/wait-limit.js';
import type { AcquireContext, WaitDependencies } from '../acquirer.js';
import type { ReleaseOutcome } from '../../backend/lock-operations.js';
import type { AttemptResult, NextEntry, AttemptStrategy, LastOutcome } from '../attempt-strategy.js';
import type { BackoffSequence } from '../backoff.js';
import { queueFull, refusal } from '../wait-errors.js';
import { type ContendedQueue, Contender, HandOverPause } from './contender.js';
import { notifiedBy, type Releases } from './releases.js';
import { type SubscriptionListener, Subscriptions } from './subscriptions.js';
import { Waiter } from './waiter.js';

/** Waiters with a shorter wait limit skip the yield to other processes, ms. */
const MIN_WAIT_FOR_YIELD_MS = 50;

/** The owner of the queues of several names. */
export interface QueueOwner<Wanted, Got extends object> {
  /** The first attempt, made for a caller that came before the queue, while it is in flight. */
  firstAttempt(name: string): Promise<AttemptResult<Got>> | undefined;
  /** Called when a queue is finished; it may be called again after a new one exists for the name. */
  onIdle(name: string, queue: WaitQueue<Wanted, Got>): void;
}

/**
 * The waiters of one name in this process, in order of arrival. Only one {@link Contender} asks the server, for the
 * first one; the others wait behind it in memory, so a thousand waiters cost the server no more than one.
 */
export class WaitQueue<Wanted, Got extends object> implements ContendedQueue<Wanted, Got>, SubscriptionListener<Got> {
  readonly waiters = new LinkedList<Waiter<Wanted, Got>>();
  /** Waiters whose wait ended during an attempt. They are rejected once its result shows the state of the lock. */
  private expiredDuringAttempt: Map<Waiter<Wanted, Got>, WaitEnd> | undefined = undefined;
  readonly subscriptions: Subscriptions<Wanted, Got>;
  private readonly contender: Contender<Wanted, Got>;
  /** The entry that the last release carried. */
  private carried: NextEntry<Got> | undefined = undefined;
  private readonly handOverPause: HandOverPause;

  /**
   * @param channel Announces that another attempt may succeed; absent if nothing announces it.
   */
  constructor(
    private readonly name: string,
    channel: string | undefined,
    private readonly attempts: AttemptStrategy<Wanted, Got>,
    private readonly waiting: WaitDependencies,
    private readonly owner: QueueOwner<Wanted, Got>,
  ) {
    this.subscriptions = new Subscriptions(name, channel, attempts, waiting, this);
    this.contender = new Contender(name, this, attempts, waiting);
    this.handOverPause = new HandOverPause(waiting.scheduler, this.contender);
  }

  get isHandingOver(): boolean {
    return this.handOverPause.isOn;
  }

  get firstAttempt(): Promise<AttemptResult<Got>> | undefined {
    return this.owner.firstAttempt(this.name);
  }

  private get releases(): Releases {
    return this.subscriptions.releases;
  }

  /** Waits at the end of the queue. Rejects when the limit ends, with nothing left behind. */
  enter<T>(asked: AcquireContext, wanted: Wanted, admit: (got: Got) => T, backoff?: BackoffSequence): Promise<T> {
    // The caller of the first attempt counts: if it has to wait, it goes to the head of the queue.
    const size = this.waiters.size + (this.firstAttempt ? 1 : 0);
    if (size >= this.waiting.maxQueue) {
      this.leaveIfIdle();
      return Promise.reject(queueFull(asked, size));
    }
    if (size > 0) asked.observer?.onWaiting();
    return this.wait(asked, wanted, admit, backoff, (waiter) => {
      this.waiters.append(waiter);
      this.contender.contendFor(wanted);
    });
  }

  /** Waits at the head of the queue, after a first attempt with this outcome, which came before all waiters. */
  enterFirst<T>(
    asked: AcquireContext,
    wanted: Wanted,
    admit: (got: Got) => T,
    backoff: BackoffSequence | undefined,
    outcome: LastOutcome,
  ): Promise<T> {
    return this.wait(asked, wanted, admit, backoff, (waiter) => {
      this.waiters.prepend(waiter);
      this.contender.contendForFirst(outcome);
    });
  }

  private wait<T>(
    asked: AcquireContext,
    wanted: Wanted,
    admit: (got: Got) => T,
    backoff: BackoffSequence | undefined,
    enter: (waiter: Waiter<Wanted, Got>) => void,
  ): Promise<T> {
    return new Promise<T>((resolve) => {
      // The waiter resolves with the result of `admit` alone.
      const settle = resolve as (admitted: unknown) => void;
      const waiter = new Waiter<Wanted, Got>(this, asked, wanted, backoff, admit, settle);
      if (asked.limit.wait < MIN_WAIT_FOR_YIELD_MS) this.cancelYield();
      enter(waiter);
    });
  }

  /** Ends a yield, and wakes the contender if it sleeps until that end. */
  private cancelYield(): void {
    const { isYielding } = this.releases;
    this.releases.cancelYield();
    if (isYielding) this.contender.wake();
  }

  /** Hands a released lock over to the first waiter; false if that is not possible. */
  handOver(got: Got): boolean {
    if (!this.releases.allowHandOver) return false;
    // The caller of the first attempt came before all waiters and must not be overtaken.
    if (this.firstAttempt) return false;
    const { first } = this.waiters;
    const passed = first && this.attempts.transfer?.(got, first.wanted);
    if (!passed) return false;
    this.remove(first);
    first.grant(passed);
    this.handOverPause.begin();
    return true;
  }

  /**
   * Called before a lock held in this process is released on the server. Returns the entry with which this client goes
   * on waiting, if it does.
   */
  beforeRelease(): NextEntry<Got> | undefined {
    this.handOverPause.stop();
    const { first } = this.waiters;
    const { canBeGiven, serverWait } = this.subscriptions;
    const again = first && canBeGiven ? serverWait?.entryFor(first.wanted) : undefined;
    // The contender sleeps without a waiter during a hand-over pause, whose end is all that would wake it.
    if (!first && canBeGiven) this.contender.wake();
    this.releases.beforeRelease(canBeGiven);
    this.carried = again;
    return again;
  }

  /** Called after the release, with the entry that it carried. @param outcome `undefined`: unknown. */
  afterRelease(outcome: ReleaseOutcome | undefined, again?: NextEntry<Got>): void {
    const got = again?.afterRelease(outcome);
    // Granted by a message that overtook this reply, the lock was released once more: that reply tells who has it.
    if (again !== this.carried) {
      if (again && notifiedBy(outcome) === 0) this.releases.releaseWasSilent();
      return;
    }
    if (!got && outcome?.outcome !== 'passed-on') return this.subscriptions.afterRelease(outcome);
    this.subscriptions.passedOn();
    if (got) this.contender.onGranted(got);
    // The yield that the release has ended was all that kept a queue without waiters.
    this.leaveIfIdle();
  }

  onGranted(got: Got): void {
    this.contender.onGranted(got);
  }

  onMissed(): void {
    this.contender.wake();
  }

  /** Called after a release without local waiters, after which `others` clients ask for the lock. */
  yieldTo(others: number): void {
    this.releases.yieldTo(others);
  }

  onReleaseByOther(): void {
    this.contender.onReleaseByOther();
  }

  onLease(ms: number): void {
    this.contender.onLease(ms);
  }

  onOurTurn(): void {
    this.contender.wake();
    this.leaveIfIdle();
  }

  onUnused(): void {
    if (this.isIdle) this.leave();
  }

  onFailed(error: unknown): void {
    this.rejectAll(error);
    // A finished queue must not be entered.
    this.releases.cancelYield();
    if (this.contender.isIdle) this.leaveIfIdle();
    else this.contender.stop();
    // It may sleep without a waiter, during a hand-over pause.
    this.contender.wake();
  }

  onContenderIdle(): void {
    this.handOverPause.stop();
    this.leaveIfIdle();
  }

  /** During a yield it is needed, since callers that arrive meanwhile must respect that. */
  get isIdle(): boolean {
    return this.contender.isIdle && !this.releases.isYielding;
  }

  private leaveIfIdle(): void {
    if (this.isIdle && !this.subscriptions.listenOn()) this.leave();
  }

  /** Drops the queue. */
  private leave(): void {
    this.subscriptions.close();
    this.owner.onIdle(this.name, this);
  }

  /** Called by a waiter when its wait ends. */
  onWaitEnded(waiter: Waiter<Wanted, Got>, end: WaitEnd): void {
    if (end.cause === 'elapsed' && this.contender.isDeciding(waiter)) {
      (this.expiredDuringAttempt ??= new Map()).set(waiter, end);
      waiter.watchAborts();
    } else this.reject(waiter, refusal(waiter.context, end, this.contender.outcomeAtEndOf(waiter.context.limit)));
  }

  rejectExpired(): void {
    const expired = this.expiredDuringAttempt;
    this.expiredDuringAttempt = undefined;
    for (const [waiter, end] of expired ?? [])
      this.reject(waiter, refusal(waiter.context, end, this.contender.outcomeAtEndOf(waiter.context.limit)));
  }

  /** A client without waiters must not be given the lock: the holder may be about to release it. */
  remove(waiter: Waiter<Wanted, Got>): boolean {
    const wasWaiting = this.waiters.delete(waiter);
    if (this.waiters.size === 0) {
      this.subscriptions.serverWait?.withdraw();
      this.contender.giveBack();
    }
    return wasWaiting;
  }

  rejectAll(error: unknown): void {
    for (const waiter of [...this.waiters]) this.reject(waiter, error);
  }

  reject(waiter: Waiter<Wanted, Got>, error: unknown): void {
    // The contender sleeps for the backoff of the first waiter, which does not apply to the next.
    const leavesPause = waiter === this.waiters.first && waiter.backoff !== undefined;
    if (!this.remove(waiter)) return;
    waiter.fail(error);
    if (leavesPause || this.waiters.size === 0) this.contender.wake();
  }
}
