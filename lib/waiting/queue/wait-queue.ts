import { LinkedList } from '../../collections/linked-list.js';
import { isPassing, LockUnavailableError } from '../../errors.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { ScheduledTask } from '../../time/scheduler.js';
import type { WaitEnd } from '../../time/wait-limit.js';
import type { BackoffSequence } from '../backoff.js';
import { PeerYield } from './peer-yield.js';
import { ChannelListener } from '../channel-listener.js';
import { type LastOutcome, queueFull, refusal } from '../wait-errors.js';
import {
  type Busy,
  type Result,
  type AttemptStrategy,
  type AcquireContext,
  type WaitDependencies,
} from '../acquirer.js';
import { SilentTurn } from './silent-turn.js';
import { Waiter } from './waiter.js';
import { WakeSignal, pauseAfter, untilLastLook } from '../contender-sleep.js';

/** After a local hand-over, wait this long before asking Redis again, ms. */
const SERIES_MS = 5;
/** Waiters with a shorter wait limit skip the yield to other processes, ms. */
const SHORTEST_POLITE_WAIT_MS = 50;

/**
 * The waiters of one name in this process, in order of arrival. Only the first one contends: it tries, subscribes,
 * tries again, and sleeps until a message, the expiry of the lock, or a slow safety poll. The others wait behind it in
 * memory, so a thousand waiters cost the server no more than one.
 */
export class WaitQueue<Wanted, Got extends object> {
  private readonly waiters = new LinkedList<Waiter<Wanted, Got>>();
  /** Waiters whose wait ended during an attempt. They are rejected once its result shows the state of the lock. */
  private readonly expiredDuringAttempt = new Map<Waiter<Wanted, Got>, WaitEnd>();
  /** Waiters that get the result of the attempt in flight; empty when there is none. */
  private attemptingFor: ReadonlySet<Waiter<Wanted, Got>> = new Set();
  private readonly wakeSignal: WakeSignal;
  /** Whether a message arrived since the last attempt was sent: its reply may predate that release. */
  private isAnnouncedSince = false;
  private readonly peerYield: PeerYield;
  private readonly listener: ChannelListener | undefined;
  /** Only without a channel. */
  private readonly silentTurn: SilentTurn | undefined;
  /** Runs during a hand-over run, while the lock passes between waiters of this process. */
  private handOverRun: ScheduledTask | undefined;
  private running = false;
  /** Whether this attempt is the last look before a wait ends. Its waiter is then rejected on time, reply or not. */
  private isLastLook = false;
  private lastOutcome: LastOutcome;

  /**
   * @param channel Announces that another attempt may succeed; absent if nothing announces it.
   * @param firstAttempt Returns the first attempt (made before this queue existed) while it is in flight.
   */
  constructor(
    private readonly name: string,
    channel: string | undefined,
    private readonly attempts: AttemptStrategy<Wanted, Got>,
    private readonly waiting: WaitDependencies,
    private readonly onIdle: () => void,
    private readonly firstAttempt: () => Promise<Result<Got>> | undefined,
  ) {
    this.wakeSignal = new WakeSignal(waiting.scheduler);
    this.peerYield = new PeerYield(waiting.scheduler, () => this.onOurTurn());
    if (channel === undefined) {
      this.silentTurn = new SilentTurn(waiting.scheduler);
      return;
    }
    const onHearing = (): void => {
      this.isAnnouncedSince = true;
      this.peerYield.expectNoEcho();
      // During a yield, its timer wakes the contender soon enough.
      if (!this.peerYield.isYielding) this.wakeSignal.notify();
    };
    const onError = (error: unknown): void => this.failAll(error);
    this.listener = new ChannelListener(waiting.pubSub, channel, () => this.onAnnouncement(), onError, onHearing);
  }

  /** Waits at the end of the queue. Rejects when the limit ends, with nothing left behind. */
  enter(asked: AcquireContext, wanted: Wanted, pace?: BackoffSequence): Promise<Got> {
    // The caller of the first attempt counts: if it has to wait, it goes to the head of the queue.
    const size = this.waiters.size + (this.firstAttempt() ? 1 : 0);
    if (size >= this.waiting.maxQueue) {
      this.leaveIfIdle();
      return Promise.reject(queueFull(asked, size));
    }
    return this.wait(asked, wanted, pace, (waiter) => {
      this.waiters.append(waiter);
      if (!this.running) this.start();
      else if (this.shouldWake(wanted)) this.wakeSignal.notify();
    });
  }

  /** Waits at the head of the queue, after a first attempt that came before all waiters and showed `seen`. */
  enterFirst(
    asked: AcquireContext,
    wanted: Wanted,
    pace: BackoffSequence | undefined,
    seen: LastOutcome,
  ): Promise<Got> {
    return this.wait(asked, wanted, pace, (waiter) => {
      this.waiters.prepend(waiter);
      this.lastOutcome = seen;
      if (!this.running) this.start();
    });
  }

  private wait(
    asked: AcquireContext,
    wanted: Wanted,
    pace: BackoffSequence | undefined,
    enter: (waiter: Waiter<Wanted, Got>) => void,
  ): Promise<Got> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter<Wanted, Got>(this, asked, wanted, pace, resolve, reject);
      if (asked.limit.wait < SHORTEST_POLITE_WAIT_MS) this.cancelYield();
      enter(waiter);
    });
  }

  /** Ends a yield, and wakes the contender if it sleeps until that end. */
  private cancelYield(): void {
    const { isYielding } = this.peerYield;
    this.peerYield.forget();
    if (isYielding) this.wakeSignal.notify();
  }

  private onAnnouncement(): void {
    // Our own release, which the last successful attempt followed, is no news, however late its announcement arrives.
    if (this.peerYield.onAnnouncement() !== 'own') this.isAnnouncedSince = true;
  }

  /** Hands a released lock over to the first waiter; false if that is not possible. */
  handOver(got: Got): boolean {
    // The caller of the first attempt came before all waiters and must not be overtaken.
    if (this.firstAttempt()) return false;
    const { first } = this.waiters;
    const passed = first && this.attempts.transfer?.(got, first.wanted);
    if (!passed) return false;
    this.waiters.delete(first);
    first.grant(passed);
    // The lock comes back soon; asking the server in the meantime would be in vain.
    this.handOverRun ??= this.waiting.scheduler.schedule(SERIES_MS, () => this.endHandOverRun(), { keepAlive: true });
    return true;
  }

  /** Called before a lock held in this process is released on the server. */
  beforeRelease(): void {
    this.stopHandOverRun();
    if (this.listener) this.peerYield.beforeRelease(this.listener.isSubscribed);
  }

  /** Called after the release. `heard` clients received its announcement, this one included if it is subscribed. */
  afterRelease(heard: number): void {
    if (this.silentTurn?.goesOn()) this.wakeSignal.notify();
    if (heard === 0) this.peerYield.releaseWasSilent();
    this.peerYield.afterRelease(Math.max(0, heard - (this.listener?.isSubscribed ? 1 : 0)));
  }

  /** Called after a release without local waiters, whose announcement `others` clients received. */
  yieldTo(others: number): void {
    this.peerYield.yieldTo(others);
  }

  private endHandOverRun(): void {
    this.stopHandOverRun();
    this.wakeSignal.notify();
  }

  private stopHandOverRun(): void {
    this.handOverRun?.cancel();
    this.handOverRun = undefined;
  }

  private onOurTurn(): void {
    this.wakeSignal.notify();
    this.leaveIfIdle();
  }

  private start(): void {
    this.running = true;
    runOutsideContexts(() => this.run()).catch((error: unknown) => this.failAll(error));
  }

  private async run(): Promise<void> {
    const firstAttempt = this.firstAttempt();
    if (firstAttempt) await this.useFirstAttempt(firstAttempt);
    if (this.peerYield.isYielding) await this.rest(Number.POSITIVE_INFINITY);
    else if (this.lastOutcome && !this.nextCandidate(this.lastOutcome)) await this.rest(pauseAfter(this.lastOutcome));
    while (this.waiters.size > 0 || this.handOverRun) {
      const seen = await this.attemptAll();
      this.isLastLook = false;
      if (this.waiters.size === 0 && this.handOverRun) await this.rest(Number.POSITIVE_INFINITY);
      else if (seen && this.waiters.size > 0) await this.rest(pauseAfter(seen));
    }
    this.stop();
  }

  private async useFirstAttempt(firstAttempt: Promise<Result<Got>>): Promise<void> {
    try {
      const result = await firstAttempt;
      this.lastOutcome = 'got' in result ? this.outcomeAfterGrant(result.got) : result;
    } catch (error) {
      // A permanent error goes to the caller of the first attempt; the waiters behind it make their own attempts.
      if (isPassing(error)) this.lastOutcome = error;
    }
    this.rejectExpired();
  }

  /** Must run synchronously after the last check for waiters, so that no caller enters a finished queue. */
  private stop(): void {
    if (!this.running) return;
    this.running = false;
    this.lastOutcome = undefined;
    this.stopHandOverRun();
    this.leaveIfIdle();
  }

  /** Drops the queue unless a yield is in progress, which callers that arrive meanwhile must respect. */
  private leaveIfIdle(): void {
    if (this.running || this.peerYield.isYielding) return;
    this.listener?.close();
    this.onIdle();
  }

  private failAll(error: unknown): void {
    this.rejectAll(error);
    // A finished queue must not be entered. An attempt still in flight undoes what it acquires.
    this.peerYield.forget();
    if (this.running) this.stop();
    else this.leaveIfIdle();
  }

  /**
   * Makes one attempt for the first waiter, and one for each that may still succeed after the outcome of the previous
   * one. Resolves with the last outcome; `undefined` if there is no waiter left to try for.
   */
  private async attemptAll(): Promise<LastOutcome> {
    this.wakeSignal.forget();
    let seen: LastOutcome;
    for (let next = this.waiters.first; next; next = this.nextCandidate(seen)) seen = await this.attempt(next);
    return seen;
  }

  /** The next waiter that may still succeed after `seen`, including waiters that arrived during this round. */
  private nextCandidate(seen: LastOutcome): Waiter<Wanted, Got> | undefined {
    if (!seen) return this.waiters.first;
    for (const waiter of this.waiters) if (this.mayStillSucceed(waiter.wanted, seen)) return waiter;
    return undefined;
  }

  private mayStillSucceed(wanted: Wanted, seen: Busy | LockUnavailableError): boolean {
    return !(seen instanceof LockUnavailableError) && (this.attempts.mayStillSucceed?.(wanted, seen) ?? false);
  }

  /** Whether a new waiter must wake the sleeping contender. */
  private shouldWake(wanted: Wanted): boolean {
    const { lastOutcome } = this;
    if (this.attempts.isShared) return !(lastOutcome instanceof LockUnavailableError);
    return lastOutcome !== undefined && this.attemptingFor.size === 0 && this.mayStillSucceed(wanted, lastOutcome);
  }

  /** Sleeps for `pause` ms, or for the first waiter's backoff or the poll interval if that is shorter. */
  private async rest(pause: number): Promise<void> {
    const { subscribed, unsubscribed } = this.waiting.polling;
    this.listener?.listen();
    const poll = this.nextBackoff() ?? (this.listener?.isSubscribed ? subscribed : unsubscribed);
    const { first } = this.waiters;
    await this.sleep(Math.min(pause, poll), first);
    // A backoff belongs to one waiter: if that one left, the next sleeps for its own.
    if (first?.backoff && this.waiters.size > 0 && !this.waiters.has(first)) await this.rest(pause);
  }

  /** Sleeps for `ms`, or until the first waiter's last look before its wait ends. */
  private async sleep(ms: number, first: Waiter<Wanted, Got> | undefined): Promise<void> {
    // No last look for a waiter with a backoff, which looks often anyway, nor while the server cannot answer.
    const looksOnce = first && !first.backoff && !(this.lastOutcome instanceof LockUnavailableError);
    const look = looksOnce ? untilLastLook(first.context.limit) : Number.POSITIVE_INFINITY;
    // A timer may fire a little early.
    const due = this.waiting.scheduler.now() + look - 1;
    await this.wakeSignal.sleep(Math.min(ms, look));
    this.isLastLook = this.waiting.scheduler.now() >= due;
  }

  /** The first waiter's next backoff, if any. Ignored while the server cannot answer: that takes a longer pause. */
  private nextBackoff(): number | undefined {
    const { first } = this.waiters;
    if (!first?.backoff || this.lastOutcome instanceof LockUnavailableError) return undefined;
    try {
      return first.backoff.next();
    } catch (error) {
      this.reject(first, error);
      return 0;
    }
  }

  /** One attempt. Resolves with its outcome; `undefined` if the next one may follow immediately. */
  private async attempt(waiter: Waiter<Wanted, Got>): Promise<LastOutcome> {
    this.attemptingFor = new Set(this.attempts.isShared ? this.waiters : [waiter]);
    this.isAnnouncedSince = false;
    try {
      const result = await this.attempts.attempt(this.name, waiter.wanted);
      if ('got' in result) this.lastOutcome = this.handOut(result.got);
      else this.onBusy(result);
    } catch (error) {
      this.lastOutcome = isPassing(error) ? error : undefined;
      // A permanent error holds for all waiters.
      if (!this.lastOutcome) this.rejectAll(error);
    }
    this.attemptingFor = new Set();
    this.rejectExpired();
    return this.lastOutcome;
  }

  private rejectExpired(): void {
    for (const [late, end] of this.expiredDuringAttempt)
      this.reject(late, refusal(late.context, end, this.lastOutcome));
    this.expiredDuringAttempt.clear();
  }

  private onBusy(busy: Busy): void {
    this.lastOutcome = busy;
    this.peerYield.peerAcquired();
    this.silentTurn?.found(busy);
  }

  /** Grants to the waiters of this attempt. Returns the state others should assume; `undefined`: try immediately. */
  private handOut(got: Got): Busy | undefined {
    const takers = [...this.attemptingFor].filter((waiter) => this.waiters.delete(waiter));
    for (const taker of takers) taker.grant(got);
    // This attempt served every earlier wake-up. It may have missed only a release announced after it was sent.
    if (!this.isAnnouncedSince) this.wakeSignal.forget();
    if (takers.length > 0) {
      this.peerYield.acquired();
      return this.outcomeAfterGrant(got);
    }
    this.attempts.undo(this.name, got);
    return undefined;
  }

  private outcomeAfterGrant(got: Got): Busy | undefined {
    const seen = this.attempts.outcomeAfterGrant(got);
    this.silentTurn?.got(seen);
    return seen;
  }

  /** Called by a waiter when its wait ends. */
  onWaitEnded(waiter: Waiter<Wanted, Got>, end: WaitEnd): void {
    // Its attempt may still succeed; before a first reply the cause (lock held, Redis silent) is unknown.
    const isAsking = this.attemptingFor.size > 0 || this.firstAttempt() !== undefined;
    const undecided = (this.attemptingFor.has(waiter) && !this.isLastLook) || (isAsking && !this.lastOutcome);
    if (undecided && end.cause === 'elapsed') this.expiredDuringAttempt.set(waiter, end);
    else this.reject(waiter, refusal(waiter.context, end, this.lastOutcome));
  }

  private rejectAll(error: unknown): void {
    for (const waiter of [...this.waiters]) this.reject(waiter, error);
  }

  private reject(waiter: Waiter<Wanted, Got>, error: unknown): void {
    // The contender sleeps for the backoff of the first waiter, which does not apply to the next.
    const leavesPause = waiter === this.waiters.first && waiter.backoff !== undefined;
    if (!this.waiters.delete(waiter)) return;
    waiter.fail(error);
    if (leavesPause || this.waiters.size === 0) this.wakeSignal.notify();
  }
}
