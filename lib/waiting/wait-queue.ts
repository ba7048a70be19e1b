import { LinkedList } from '../collections/linked-list.js';
import { isPassing, LockUnavailableError } from '../errors.js';
import { runOutsideRegions } from '../context/owner-context.js';
import type { ScheduledTask } from '../time/scheduler.js';
import type { WaitEnd } from '../time/wait-limit.js';
import type { BackoffSequence } from './backoff.js';
import { PeerYield } from './peer-yield.js';
import { ChannelListener } from './channel-listener.js';
import { type LastOutcome, queueFull, refusal } from './wait-errors.js';
import {
  type Busy,
  type Result,
  type AttemptStrategy,
  type AcquireContext,
  type WaitDependencies,
} from './acquirer.js';
import { SilentTurn } from './silent-turn.js';
import { Waiter } from './waiter.js';
import { WakeSignal, pauseAfter, untilLastLook } from './contender-sleep.js';

/** For how long it is expected back that was handed over, ms. */
const SERIES_MS = 5;
/** Who waits for less is not asked to let others go first, ms. */
const SHORTEST_POLITE_WAIT_MS = 50;

/**
 * Everybody in this process who waits for the same. Only the first contends: it tries, subscribes, tries again, and
 * sleeps until a message, the time at which things change by themselves, or a slow safety poll. The others wait behind
 * it in memory, so a thousand waiters cost the server no more than one.
 */
export class WaitQueue<Wanted, Got extends object> {
  private readonly waiters = new LinkedList<Waiter<Wanted, Got>>();
  /** Those whose wait is over, but who are told only when the try that is on its way has shown how things stand. */
  private readonly expiredDuringAttempt = new Map<Waiter<Wanted, Got>, WaitEnd>();
  /** Those who are to have what the try that is on its way gets; nobody while none is. */
  private attemptingFor: ReadonlySet<Waiter<Wanted, Got>> = new Set();
  private readonly wakeUp: WakeSignal;
  /** Whether something was announced since the last try left, so that it may have happened after what that try found. */
  private isAnnouncedSince = false;
  private readonly peerYield: PeerYield;
  private readonly listener: ChannelListener | undefined;
  /** Where nothing is announced. */
  private readonly silentTurn: SilentTurn | undefined;
  /** Runs while it goes from one to the next in this process. */
  private handOverRun: ScheduledTask | undefined;
  private running = false;
  /** Whether the round is one more look before a wait ends; whoever it is for is told in time, whatever it shows. */
  private isLastLook = false;
  private lastOutcome: LastOutcome;

  /**
   * @param channel On which it is announced that trying again may help; absent where it never is.
   * @param firstAttempt The try of somebody who came before anybody waited, as long as it is on its way.
   */
  constructor(
    private readonly name: string,
    channel: string | undefined,
    private readonly attempts: AttemptStrategy<Wanted, Got>,
    private readonly waiting: WaitDependencies,
    private readonly onIdle: () => void,
    private readonly firstAttempt: () => Promise<Result<Got>> | undefined,
  ) {
    this.wakeUp = new WakeSignal(waiting.scheduler);
    this.peerYield = new PeerYield(waiting.scheduler, () => this.ourTurn());
    if (channel === undefined) {
      this.silentTurn = new SilentTurn(waiting.scheduler);
      return;
    }
    const onHearing = (): void => {
      this.isAnnouncedSince = true;
      this.peerYield.expectNoEcho();
      // Whose turn it is then is looked at soon enough.
      if (!this.peerYield.isYielding) this.wakeUp.notify();
    };
    const onError = (error: unknown): void => this.failAll(error);
    this.listener = new ChannelListener(waiting.pubSub, channel, () => this.onAnnouncement(), onError, onHearing);
  }

  /** Waits in line. Rejects when the limit ends, with nothing left behind. */
  enter(asked: AcquireContext, wanted: Wanted, pace?: BackoffSequence): Promise<Got> {
    // Who opened comes before everybody else, if it has to wait.
    const size = this.waiters.size + (this.firstAttempt() ? 1 : 0);
    if (size >= this.waiting.maxQueue) {
      this.leaveIfIdle();
      return Promise.reject(queueFull(asked, size));
    }
    return this.wait(asked, wanted, pace, (waiter) => {
      this.waiters.append(waiter);
      if (!this.running) this.start();
      else if (this.shouldWake(wanted)) this.wakeUp.notify();
    });
  }

  /** Waits before everybody else, since the try that was made for it came before them, and showed `seen`. */
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

  /** Whoever sleeps until it is our turn must not sleep on. */
  private cancelYield(): void {
    const { isYielding } = this.peerYield;
    this.peerYield.forget();
    if (isYielding) this.wakeUp.notify();
  }

  private onAnnouncement(): void {
    // The release that made a try succeed is no news to it, however late its announcement comes.
    if (this.peerYield.onAnnouncement() !== 'own') this.isAnnouncedSince = true;
  }

  /** Passes what somebody lets go of to the first in line; false where that is not possible. */
  handOver(got: Got): boolean {
    // Who opened came before everybody in line, and would be overtaken.
    if (this.firstAttempt()) return false;
    const { first } = this.waiters;
    const passed = first && this.attempts.transfer?.(got, first.wanted);
    if (!passed) return false;
    this.waiters.delete(first);
    first.grant(passed);
    // It comes back soon: who asked the server for it meanwhile would ask in vain.
    this.handOverRun ??= this.waiting.scheduler.schedule(SERIES_MS, () => this.endHandOverRun(), { keepAlive: true });
    return true;
  }

  /** What somebody here has is about to be given back. */
  beforeRelease(): void {
    this.stopHandOverRun();
    if (this.listener) this.peerYield.beforeRelease(this.listener.isSubscribed);
  }

  /** It was given back, and so many clients are known to have been told, one of which are we if we listen. */
  afterRelease(heard: number): void {
    if (this.silentTurn?.goesOn()) this.wakeUp.notify();
    if (heard === 0) this.peerYield.releaseWasSilent();
    this.peerYield.afterRelease(Math.max(0, heard - (this.listener?.isSubscribed ? 1 : 0)));
  }

  /** What nobody here waited for was given back, and so many others were told. */
  yieldTo(others: number): void {
    this.peerYield.yieldTo(others);
  }

  private endHandOverRun(): void {
    this.stopHandOverRun();
    this.wakeUp.notify();
  }

  private stopHandOverRun(): void {
    this.handOverRun?.cancel();
    this.handOverRun = undefined;
  }

  private ourTurn(): void {
    this.wakeUp.notify();
    this.leaveIfIdle();
  }

  private start(): void {
    this.running = true;
    runOutsideRegions(() => this.run()).catch((error: unknown) => this.failAll(error));
  }

  private async run(): Promise<void> {
    const opening = this.firstAttempt();
    if (opening) await this.useFirstAttempt(opening);
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

  private async useFirstAttempt(opening: Promise<Result<Got>>): Promise<void> {
    try {
      const result = await opening;
      this.lastOutcome = 'got' in result ? this.outcomeAfterGrant(result.got) : result;
    } catch (error) {
      // What is no answer for good is told to whoever asked; those behind ask for themselves.
      if (isPassing(error)) this.lastOutcome = error;
    }
    this.rejectExpired();
  }

  /** In the same turn as the last look at the line, so that nobody enters a contention that is over. */
  private stop(): void {
    if (!this.running) return;
    this.running = false;
    this.lastOutcome = undefined;
    this.stopHandOverRun();
    this.leaveIfIdle();
  }

  /** Remembers whose turn it is, for whoever comes meanwhile. */
  private leaveIfIdle(): void {
    if (this.running || this.peerYield.isYielding) return;
    this.listener?.close();
    this.onIdle();
  }

  private failAll(error: unknown): void {
    this.rejectAll(error);
    // Nobody is to come to what is over; a try that is still on its way gives back what it gets.
    this.peerYield.forget();
    if (this.running) this.stop();
    else this.leaveIfIdle();
  }

  /**
   * One try for the first in line, and one for each whom what the last one found may suit. Resolves with what the last
   * one found; `undefined` where there was nobody left to try for.
   */
  private async attemptAll(): Promise<LastOutcome> {
    this.wakeUp.forget();
    let seen: LastOutcome;
    for (let next = this.waiters.first; next; next = this.nextCandidate(seen)) seen = await this.attempt(next);
    return seen;
  }

  /** Who may have it although `seen` was found; whoever comes during a round is seen by it. */
  private nextCandidate(seen: LastOutcome): Waiter<Wanted, Got> | undefined {
    if (!seen) return this.waiters.first;
    for (const waiter of this.waiters) if (this.mayStillSucceed(waiter.wanted, seen)) return waiter;
    return undefined;
  }

  private mayStillSucceed(wanted: Wanted, seen: Busy | LockUnavailableError): boolean {
    return !(seen instanceof LockUnavailableError) && (this.attempts.mayStillSucceed?.(wanted, seen) ?? false);
  }

  /** Whether who comes now is not to wait until somebody who sleeps wakes up. */
  private shouldWake(wanted: Wanted): boolean {
    const { lastOutcome } = this;
    if (this.attempts.isShared) return !(lastOutcome instanceof LockUnavailableError);
    return lastOutcome !== undefined && this.attemptingFor.size === 0 && this.mayStillSucceed(wanted, lastOutcome);
  }

  /** Sleeps for `pause` ms, or until it is time to look after things all the same. */
  private async rest(pause: number): Promise<void> {
    const { subscribed, unsubscribed } = this.waiting.polling;
    this.listener?.listen();
    const poll = this.nextBackoff() ?? (this.listener?.isSubscribed ? subscribed : unsubscribed);
    const { first } = this.waiters;
    await this.sleep(Math.min(pause, poll), first);
    // Who leaves takes its pause along: the next one pauses at its own pace.
    if (first?.backoff && this.waiters.size > 0 && !this.waiters.has(first)) await this.rest(pause);
  }

  /** For `ms`, or until the first in line is to look once more before its wait ends. */
  private async sleep(ms: number, first: Waiter<Wanted, Got> | undefined): Promise<void> {
    // Who has a pace of its own looks often, and a server that cannot answer is not asked for that.
    const looksOnce = first && !first.backoff && !(this.lastOutcome instanceof LockUnavailableError);
    const look = looksOnce ? untilLastLook(first.context.limit) : Number.POSITIVE_INFINITY;
    // A timer may be a little early.
    const due = this.waiting.scheduler.now() + look - 1;
    await this.wakeUp.sleep(Math.min(ms, look));
    this.isLastLook = this.waiting.scheduler.now() >= due;
  }

  /** What the first in line wants to pause, if anything. A server that cannot answer just now is not asked sooner. */
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

  /** One try. Resolves with what it showed; `undefined` where the next may as well be made at once. */
  private async attempt(waiter: Waiter<Wanted, Got>): Promise<LastOutcome> {
    this.attemptingFor = new Set(this.attempts.isShared ? this.waiters : [waiter]);
    this.isAnnouncedSince = false;
    try {
      const result = await this.attempts.attempt(this.name, waiter.wanted);
      if ('got' in result) this.lastOutcome = this.handOut(result.got);
      else this.onBusy(result);
    } catch (error) {
      this.lastOutcome = isPassing(error) ? error : undefined;
      // What can only be answered so is the answer for everybody in line.
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

  /** To those who still wait for it. Returns what the next in line finds; `undefined`: it may as well try at once. */
  private handOut(got: Got): Busy | undefined {
    const takers = [...this.attemptingFor].filter((waiter) => this.waiters.delete(waiter));
    for (const taker of takers) taker.grant(got);
    // Whoever wanted another try has had it; but of what was announced meanwhile this one may have seen nothing.
    if (!this.isAnnouncedSince) this.wakeUp.forget();
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

  /** Called by a waiter whose wait is over. */
  onWaitEnded(waiter: Waiter<Wanted, Got>, end: WaitEnd): void {
    // Its own try may still succeed; and before any answer nobody can say whether the lock is held or Redis silent.
    const isAsking = this.attemptingFor.size > 0 || this.firstAttempt() !== undefined;
    const undecided = (this.attemptingFor.has(waiter) && !this.isLastLook) || (isAsking && !this.lastOutcome);
    if (undecided && end.cause === 'elapsed') this.expiredDuringAttempt.set(waiter, end);
    else this.reject(waiter, refusal(waiter.context, end, this.lastOutcome));
  }

  private rejectAll(error: unknown): void {
    for (const waiter of [...this.waiters]) this.reject(waiter, error);
  }

  private reject(waiter: Waiter<Wanted, Got>, error: unknown): void {
    // A pause of the one who leaves is nobody else's.
    const leavesPause = waiter === this.waiters.first && waiter.backoff !== undefined;
    if (!this.waiters.delete(waiter)) return;
    waiter.fail(error);
    if (leavesPause || this.waiters.size === 0) this.wakeUp.notify();
  }
}
