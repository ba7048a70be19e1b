import { LinkedList } from '../../collections/linked-list.js';
import type { ScheduledTask } from '../../time/scheduler.js';
import type { WaitEnd } from '../../time/wait-limit.js';
import type { AcquireContext, WaitDependencies } from '../acquirer.js';
import type { AttemptResult, AttemptStrategy, LastOutcome } from '../attempt-strategy.js';
import type { BackoffSequence } from '../backoff.js';
import { queueFull, refusal } from '../wait-errors.js';
import { AnnouncedReleases } from './announced-releases.js';
import { type ContendedQueue, Contender } from './contender.js';
import type { ReleaseListener, Releases } from './releases.js';
import { UnannouncedReleases } from './unannounced-releases.js';
import { Waiter } from './waiter.js';

/** After a local hand-over, wait this long before asking Redis again, ms. */
const HAND_OVER_RUN_MS = 5;
/** Waiters with a shorter wait limit skip the yield to other processes, ms. */
const MIN_WAIT_FOR_YIELD_MS = 50;

/**
 * The waiters of one name in this process, in order of arrival. Only one {@link Contender} asks the server, for the
 * first one; the others wait behind it in memory, so a thousand waiters cost the server no more than one.
 */
export class WaitQueue<Wanted, Got extends object> implements ContendedQueue<Wanted, Got>, ReleaseListener {
  readonly waiters = new LinkedList<Waiter<Wanted, Got>>();
  /** Waiters whose wait ended during an attempt. They are rejected once its result shows the state of the lock. */
  private readonly expiredDuringAttempt = new Map<Waiter<Wanted, Got>, WaitEnd>();
  private readonly releases: Releases;
  private readonly contender: Contender<Wanted, Got>;
  /** Runs during a hand-over run, while the lock passes between waiters of this process. */
  private handOverRun: ScheduledTask | undefined;

  /**
   * @param channel Announces that another attempt may succeed; absent if nothing announces it.
   * @param firstAttempt Returns the first attempt (made before this queue existed) while it is in flight.
   */
  constructor(
    name: string,
    channel: string | undefined,
    private readonly attempts: AttemptStrategy<Wanted, Got>,
    private readonly waiting: WaitDependencies,
    private readonly onIdle: () => void,
    readonly firstAttempt: () => Promise<AttemptResult<Got>> | undefined,
  ) {
    this.releases =
      channel === undefined ? new UnannouncedReleases(waiting, this) : new AnnouncedReleases(channel, waiting, this);
    this.contender = new Contender(name, this, attempts, this.releases, waiting.scheduler);
  }

  get isHandingOver(): boolean {
    return this.handOverRun !== undefined;
  }

  /** Waits at the end of the queue. Rejects when the limit ends, with nothing left behind. */
  enter(asked: AcquireContext, wanted: Wanted, backoff?: BackoffSequence): Promise<Got> {
    // The caller of the first attempt counts: if it has to wait, it goes to the head of the queue.
    const size = this.waiters.size + (this.firstAttempt() ? 1 : 0);
    if (size >= this.waiting.maxQueue) {
      this.leaveIfIdle();
      return Promise.reject(queueFull(asked, size));
    }
    return this.wait(asked, wanted, backoff, (waiter) => {
      this.waiters.append(waiter);
      this.contender.contendFor(wanted);
    });
  }

  /** Waits at the head of the queue, after a first attempt with this outcome, which came before all waiters. */
  enterFirst(
    asked: AcquireContext,
    wanted: Wanted,
    backoff: BackoffSequence | undefined,
    outcome: LastOutcome,
  ): Promise<Got> {
    return this.wait(asked, wanted, backoff, (waiter) => {
      this.waiters.prepend(waiter);
      this.contender.contendForFirst(outcome);
    });
  }

  private wait(
    asked: AcquireContext,
    wanted: Wanted,
    backoff: BackoffSequence | undefined,
    enter: (waiter: Waiter<Wanted, Got>) => void,
  ): Promise<Got> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter<Wanted, Got>(this, asked, wanted, backoff, resolve, reject);
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
    if (this.firstAttempt()) return false;
    const { first } = this.waiters;
    const passed = first && this.attempts.transfer?.(got, first.wanted);
    if (!passed) return false;
    this.waiters.delete(first);
    first.grant(passed);
    // The lock comes back soon; asking the server in the meantime would be in vain.
    this.handOverRun ??= this.waiting.scheduler.schedule(HAND_OVER_RUN_MS, () => this.endHandOverRun(), {
      keepAlive: true,
    });
    return true;
  }

  private endHandOverRun(): void {
    this.stopHandOverRun();
    this.contender.wake();
  }

  private stopHandOverRun(): void {
    this.handOverRun?.cancel();
    this.handOverRun = undefined;
  }

  /** Called before a lock held in this process is released on the server. */
  beforeRelease(): void {
    this.stopHandOverRun();
    this.releases.beforeRelease();
  }

  /** Called after the release. `notified` clients received its announcement, this one included if it is subscribed. */
  afterRelease(notified: number): void {
    this.releases.afterRelease(notified);
  }

  /** Called after a release without local waiters, whose announcement `others` clients received. */
  yieldTo(others: number): void {
    this.releases.yieldTo(others);
  }

  onReleaseByOther(): void {
    this.contender.onReleaseByOther();
  }

  onOurTurn(): void {
    this.contender.wake();
    this.leaveIfIdle();
  }

  onFailed(error: unknown): void {
    this.rejectAll(error);
    // A finished queue must not be entered.
    this.releases.cancelYield();
    if (this.contender.isIdle) this.leaveIfIdle();
    else this.contender.stop();
    // It may sleep without a waiter, during a hand-over run.
    this.contender.wake();
  }

  onContenderIdle(): void {
    this.stopHandOverRun();
    this.leaveIfIdle();
  }

  /** Drops the queue unless a yield is in progress, which callers that arrive meanwhile must respect. */
  private leaveIfIdle(): void {
    if (!this.contender.isIdle || this.releases.isYielding) return;
    this.releases.close();
    this.onIdle();
  }

  /** Called by a waiter when its wait ends. */
  onWaitEnded(waiter: Waiter<Wanted, Got>, end: WaitEnd): void {
    if (end.cause === 'elapsed' && this.contender.isDeciding(waiter)) this.expiredDuringAttempt.set(waiter, end);
    else this.reject(waiter, refusal(waiter.context, end, this.contender.lastOutcome));
  }

  rejectExpired(): void {
    for (const [waiter, end] of this.expiredDuringAttempt)
      this.reject(waiter, refusal(waiter.context, end, this.contender.lastOutcome));
    this.expiredDuringAttempt.clear();
  }

  rejectAll(error: unknown): void {
    for (const waiter of [...this.waiters]) this.reject(waiter, error);
  }

  reject(waiter: Waiter<Wanted, Got>, error: unknown): void {
    // The contender sleeps for the backoff of the first waiter, which does not apply to the next.
    const leavesPause = waiter === this.waiters.first && waiter.backoff !== undefined;
    if (!this.waiters.delete(waiter)) return;
    waiter.fail(error);
    if (leavesPause || this.waiters.size === 0) this.contender.wake();
  }
}
