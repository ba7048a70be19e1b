import type { LinkedList } from '../../linked-list.js';
import type { AttemptResult, AttemptStrategy, Busy, LastOutcome, Take } from '../attempt-strategy.js';
import type { Subscriptions } from './subscriptions.js';
import type { Waiter } from './waiter.js';
import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import { isPassing, LockUnavailableError } from '../../errors.js';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { WaitLimit } from '../../time/wait-limit.js';
import type { WaitDependencies } from '../acquirer.js';
import { pauseAfter, WakeSignal } from '../wake-signal.js';
import { attemptTogether, Candidates } from './candidates.js';
import { Outcomes } from '../outcomes.js';
import type { Releases } from './releases.js';

/** The queue that a contender works for. */
export interface ContendedQueue<Wanted, Got extends object> {
  readonly waiters: LinkedList<Waiter<Wanted, Got>>;
  /** Whether the lock passes between waiters of this process, so that the queue is needed although it may be empty. */
  readonly isHandingOver: boolean;
  /** The attempt of a caller that came before the queue, while it is in flight. */
  readonly firstAttempt: Promise<AttemptResult<Got>> | undefined;
  readonly subscriptions: Subscriptions<Wanted, Got>;
  /** Returns whether it was waiting. */
  remove(waiter: Waiter<Wanted, Got>): boolean;
  reject(waiter: Waiter<Wanted, Got>, error: unknown): void;
  rejectAll(error: unknown): void;
  /** Called with an error that ends the queue. */
  onFailed(error: unknown): void;
  /** Called after each reply: rejects the waiters whose time was over before it. */
  rejectExpired(): void;
  /** Called when the contender becomes idle, in the same turn as its last check for waiters. */
  onContenderIdle(): void;
}

/** The state while an attempt is in flight. */
interface Attempting<Wanted, Got> {
  readonly name: 'attempting';
  /** The waiters that get its result. */
  readonly waiters: ReadonlySet<Waiter<Wanted, Got>>;
  /** Whether it is the last look before a wait ends. Its waiter is then rejected on time, reply or not. */
  readonly isLastLook: boolean;
  /** Whether another process may have released since it was sent: its reply may predate that. */
  isOutdated: boolean;
}

/** There are no waiters. */
const IDLE = { name: 'idle' } as const;
/** The attempt of a caller that came before the queue is in flight. */
const PRECEDED = { name: 'preceded' } as const;
/** No attempt is in flight: the contender sleeps, or is about to decide what comes next. */
const RESTING = { name: 'resting' } as const;

/** The states of a contender: idle → (preceded →) resting ⇄ attempting → idle. */
type ContenderState<Wanted, Got> = typeof IDLE | typeof PRECEDED | typeof RESTING | Attempting<Wanted, Got>;

/** A round of attempts, one for each waiter that may succeed. */
export interface Round {
  /** The outcome of its last attempt; `undefined`: none yet, or the next attempt may follow at once. */
  readonly outcome: LastOutcome;
  readonly isLastLook: boolean;
}

/** After a local hand-over, wait this long before asking Redis again, ms. */
const HAND_OVER_PAUSE_MS = 5;

/** A pause in asking the server while a lock passes between waiters of this process, so that asking would be in vain. */
export class HandOverPause {
  private timer: ScheduledTask | undefined = undefined;

  /** @param contender Woken when the time is over. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly contender: { wake(): void },
  ) {}

  get isOn(): boolean {
    return this.timer !== undefined;
  }

  /** Begins the pause, unless it has begun already. */
  begin(): void {
    const end = (): void => {
      this.stop();
      this.contender.wake();
    };
    this.timer ??= this.scheduler.schedule(HAND_OVER_PAUSE_MS, end, { keepAlive: true });
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}

/**
 * Asks the server for all waiters of a queue: makes an attempt for the first one, listens, makes another, and sleeps
 * until a release becomes known, the lock expires, or a slow safety poll is due. After a grant that has left enough for
 * the next waiters, it makes their attempts together, until one of them is refused.
 */
export class Contender<Wanted, Got extends object> {
  private state: ContenderState<Wanted, Got> = IDLE;
  private readonly outcomes: Outcomes;
  /** Takes from what the last attempt has left. Absent: it granted nothing, excludes others, or was made before a sleep. */
  private take: Take<Wanted> | undefined = undefined;
  /** Whether the lock was given to a client without an attempt of ours, so that the present sleep has the wrong length. */
  private hasNewLease = false;
  /** The lease that was told while a reply was on its way, which may be older, ms. */
  private told: number | undefined = undefined;
  /** Given to this client without an attempt of ours, but not as its first waiter wants it. */
  private given: Got | undefined = undefined;
  private readonly wakeSignal: WakeSignal;
  private readonly candidates: Candidates<Wanted, Got>;

  constructor(
    private readonly name: string,
    private readonly queue: ContendedQueue<Wanted, Got>,
    private readonly attempts: AttemptStrategy<Wanted, Got>,
    waiting: WaitDependencies,
  ) {
    this.outcomes = new Outcomes(waiting);
    this.wakeSignal = new WakeSignal(waiting.scheduler);
    this.candidates = new Candidates(queue.waiters, attempts);
  }

  private get releases(): Releases {
    return this.queue.subscriptions.releases;
  }

  get isIdle(): boolean {
    return this.state.name === 'idle';
  }

  private get outcome(): LastOutcome {
    return this.outcomes.last;
  }

  private set outcome(outcome: LastOutcome) {
    this.outcomes.last = outcome;
  }

  /** The outcome that tells why a wait ended in vain. */
  outcomeAtEndOf(limit: WaitLimit): LastOutcome {
    return this.outcomes.atEndOf(limit);
  }

  /** Contends for a new waiter at the end of the queue. */
  contendFor(wanted: Wanted): void {
    if (this.isIdle) this.start();
    else if (this.mustAskFor(wanted)) this.wake();
  }

  /** Contends for a new waiter at the head of the queue, after an attempt for it with this outcome. */
  contendForFirst(outcome: LastOutcome): void {
    this.outcome = outcome;
    if (this.isIdle) this.start();
  }

  /** Ends the sleep, or prevents the next one. */
  wake(): void {
    this.hasNewLease = false;
    this.wakeSignal.notify();
  }

  /** Called when another process released, or may have. */
  onReleaseByOther(): void {
    if (this.state.name === 'attempting') this.state.isOutdated = true;
  }

  /** Called when this process was given the lock without an attempt. */
  onGranted(got: Got): void {
    const { first } = this.queue.waiters;
    this.outcome = this.onGrant(got);
    if (!first) return this.attempts.undo(this.name, got);
    if (this.attempts.isWanted?.(got, first.wanted) === false) {
      this.given = got;
      return this.wake();
    }
    this.queue.remove(first);
    first.grant(got);
    this.sleepAnew();
  }

  /** Called when no waiter is left. */
  giveBack(): void {
    if (this.given) this.attempts.undo(this.name, this.given);
    this.given = undefined;
  }

  /** Called when another process was given the lock, or a lease was shortened. @param remaining Milliseconds left of it. */
  onLease(remaining: number): void {
    const { state, outcome } = this;
    if (state.name === 'attempting' || state === PRECEDED) this.told = remaining;
    if (state !== RESTING || outcome instanceof LockUnavailableError) return;
    // A writer that waits keeps readers out for the time of its place, whatever is left to those that read.
    const most = outcome?.isWriter ? outcome.remaining : Number.POSITIVE_INFINITY;
    this.outcome = { ...outcome, remaining: Math.min(remaining, most) };
    this.sleepAnew();
  }

  /** Lets the next sleep end with the lease that is known now; but a reason to ask remains one. */
  private sleepAnew(): void {
    if (!this.wakeSignal.isPending) this.hasNewLease = true;
    this.wakeSignal.notify();
  }

  /** Whether a waiter whose time is over has to wait for the reply that is on its way. */
  isDeciding(waiter: Waiter<Wanted, Got>): boolean {
    const { state, outcome } = this;
    if (state.name === 'idle' || state.name === 'resting') return false;
    // Before a first reply the cause (lock held, Redis silent) is unknown.
    if (!outcome) return true;
    // Its own attempt may still succeed.
    return state.name === 'attempting' && state.waiters.has(waiter) && !state.isLastLook;
  }

  /** Becomes idle. An attempt in flight undoes what it acquires. */
  stop(): void {
    if (this.isIdle) return;
    this.state = IDLE;
    this.outcome = undefined;
    this.take = undefined;
    this.told = undefined;
    this.queue.onContenderIdle();
  }

  private start(): void {
    this.state = RESTING;
    void runOutsideContexts(() => this.run());
  }

  /** Runs unawaited. There may be thousands that sleep: hence a single async function, without further promises. */
  private async run(): Promise<void> {
    try {
      const { firstAttempt } = this.queue;
      if (firstAttempt) await this.awaitFirst(firstAttempt);
      // Other processes go first.
      let mustRest = this.releases.isYielding;
      let round: Round = { outcome: mustRest ? undefined : this.outcome, isLastLook: false };
      while (mustRest || this.queue.waiters.size > 0 || this.queue.isHandingOver) {
        const next = mustRest ? undefined : this.nextFor(round.outcome);
        if (next) {
          round = await this.attempt(next, round);
          continue;
        }
        const known = this.hasNewLease ? this.outcome : round.outcome;
        const sleeping = this.sleep(known);
        const { first } = this.queue.waiters;
        const isLastLook = await sleeping;
        this.wakeSignal.forget();
        mustRest = this.mustSleepAgain(first);
        round = { outcome: mustRest ? known : undefined, isLastLook };
      }
      this.stop();
    } catch (error) {
      this.queue.onFailed(error);
    }
  }

  private nextFor(outcome: LastOutcome): Waiter<Wanted, Got> | undefined {
    return this.given ? this.queue.waiters.first : this.candidates.next(outcome);
  }

  private async awaitFirst(firstAttempt: Promise<AttemptResult<Got>>): Promise<void> {
    this.state = PRECEDED;
    try {
      const result = await firstAttempt;
      this.outcome = 'got' in result ? this.onGrant(result.got) : this.onBusy(result);
    } catch (error) {
      // A permanent error goes to the caller of the first attempt; the waiters behind it make their own attempts.
      if (isPassing(error)) this.outcome = error;
    }
    if (this.state === PRECEDED) this.state = RESTING;
    this.queue.rejectExpired();
  }

  /** Whether a new waiter is a reason to ask before the sleep ends by itself. */
  private mustAskFor(wanted: Wanted): boolean {
    const { outcome } = this;
    if (this.attempts.isShared) return !(outcome instanceof LockUnavailableError);
    return this.state.name !== 'attempting' && this.candidates.mayStillSucceed(wanted, outcome);
  }

  /** Makes an attempt for a waiter, and for those behind it for which the last grant has left enough. */
  private async attempt(first: Waiter<Wanted, Got>, { outcome, isLastLook }: Round): Promise<Round> {
    // The first attempt of a round serves every earlier wake-up.
    if (!outcome) this.wakeSignal.forget();
    this.told = undefined;
    const asked = this.candidates.together(first, this.take);
    const waiters = new Set(this.attempts.isShared ? this.queue.waiters : asked);
    const attempt: Attempting<Wanted, Got> = { name: 'attempting', waiters, isLastLook, isOutdated: false };
    this.state = attempt;
    const { hasRefused, hasUndone } = await attemptTogether(asked, this.candidates, {
      ask: (wanted) => this.ask(wanted),
      grant: (got, waiter) => this.grant(got, this.attempts.isShared ? [...waiters] : [waiter], attempt.isOutdated),
      refused: (answer) => (this.outcome = 'error' in answer ? this.onError(answer.error) : this.onBusy(answer)),
      undo: (got) => this.attempts.undo(this.name, got),
    });
    if (hasUndone) this.outcome = undefined;
    if (hasRefused || hasUndone) this.take = undefined;
    if (this.state === attempt) this.state = RESTING;
    this.queue.rejectExpired();
    return { outcome: this.outcome, isLastLook };
  }

  private async ask(wanted: Wanted): Promise<AttemptResult<Got>> {
    const { given } = this;
    this.given = undefined;
    this.outcomes.asking();
    if (given && this.attempts.adjust) return this.attempts.adjust(this.name, given, wanted);
    const { serverWait, canBeGiven } = this.queue.subscriptions;
    // Without a message, only an attempt for the same owner tells that the lock was given to it.
    if (serverWait && (canBeGiven || serverWait.isWaiting(wanted))) return serverWait.attempt(wanted);
    serverWait?.withdraw();
    return this.attempts.attempt(this.name, wanted);
  }

  /** Grants to these waiters of an attempt. Returns whether one still waited. */
  private grant(got: Got, waiters: readonly Waiter<Wanted, Got>[], isOutdated: boolean): boolean {
    const granted = waiters.filter((waiter) => this.queue.remove(waiter));
    for (const waiter of granted) waiter.grant(got);
    // This attempt served every earlier wake-up. It may have missed only a release announced after it was sent; the
    // grant ends the yield whose end would have woken us for that.
    if (isOutdated) this.wake();
    else this.wakeSignal.forget();
    if (granted.length > 0) this.outcome = this.onGrant(got);
    return granted.length > 0;
  }

  private onGrant(got: Got): Busy | undefined {
    const outcome = this.attempts.outcomeAfterGrant(got);
    this.take = this.attempts.leftAfter?.(got);
    this.releases.acquired(outcome);
    return outcome;
  }

  private onBusy(busy: Busy): Busy {
    this.releases.foundBusy(busy);
    const { told = busy.remaining } = this;
    this.told = undefined;
    return told < busy.remaining || busy.remaining < 0 ? { ...busy, remaining: told } : busy;
  }

  private onError(error: unknown): LastOutcome {
    if (isPassing(error)) return error;
    // A permanent error holds for all waiters.
    this.queue.rejectAll(error);
    return undefined;
  }

  /**
   * Sleeps until another outcome is possible, or for the first waiter's backoff or the poll interval if that is shorter.
   * Resolves with whether the last look before the end of its wait is due.
   */
  private sleep(known: LastOutcome): Promise<boolean> {
    this.take = undefined;
    this.hasNewLease = false;
    const pause = known ? pauseAfter(known, this.outcomes.unanswered) : Number.POSITIVE_INFINITY;
    this.queue.subscriptions.listen();
    const poll = this.nextBackoff() ?? this.releases.pollInterval;
    const { first } = this.queue.waiters;
    first?.context.observer?.onWaiting();
    return this.wakeSignal.sleepOrLook(Math.min(pause, poll), this.limitToLookFor(first));
  }

  /** Whether the sleep has ended for no reason to ask. @param first The waiter that was the first one then. */
  private mustSleepAgain(first: Waiter<Wanted, Got> | undefined): boolean {
    const { waiters } = this.queue;
    if (waiters.size === 0) return false;
    // A backoff belongs to one waiter: if that one left, the next sleeps for its own.
    return this.hasNewLease || (first?.backoff !== undefined && !waiters.has(first));
  }

  /** No last look for a waiter with a backoff, which looks often anyway, nor while the server cannot answer. */
  private limitToLookFor(first: Waiter<Wanted, Got> | undefined): WaitLimit | undefined {
    return first?.backoff || this.outcome instanceof LockUnavailableError ? undefined : first?.context.limit;
  }

  /** The first waiter's next backoff, if any. Ignored while the server cannot answer: that takes a longer pause. */
  private nextBackoff(): number | undefined {
    const { first } = this.queue.waiters;
    if (!first?.backoff || this.outcome instanceof LockUnavailableError) return undefined;
    try {
      return first.backoff.next();
    } catch (error) {
      this.queue.reject(first, error);
      return 0;
    }
  }
}
