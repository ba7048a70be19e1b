import type { Subscription } from '../backend/lock-backend.js';
import { isPassing, LockUnavailableError } from '../errors.js';
import { runOutsideRegions } from '../scope/current-region.js';
import type { WaitEnd } from '../time/wait-limit.js';
import type { Pace } from './backoff.js';
import type { Waiting } from './line.js';
import { type Asked, type LastSeen, refusal } from './refusal.js';
import type { Busy, Tries } from './tries.js';
import { WakeUp } from './wake-up.js';

/** How long a contender sleeps when nothing else wakes it, ms. */
export interface Polling {
  /** While the subscription works: what one lost message may cost. */
  readonly safety: number;
  /** While it does not. */
  readonly deaf: number;
}

/** Slept on top of a lease that runs out, so that the waiters of several processes do not all ask in one instant. */
const EXPIRY_JITTER_MS = 5;
export const UNAVAILABLE_PAUSE_MS = 100;

interface Waiter<Wanted, Got> {
  readonly asked: Asked;
  readonly wanted: Wanted;
  readonly pace: Pace | undefined;
  grant(got: Got): void;
  refuse(error: unknown): void;
}

/** Milliseconds until what was found may have changed. */
export const pauseAfter = ({ remaining }: Busy): number =>
  remaining < 0 ? Number.POSITIVE_INFINITY : remaining + 1 + Math.random() * EXPIRY_JITTER_MS;

/**
 * Everybody in this process who waits for the same. Only the first contends: it tries, subscribes, tries again, and
 * sleeps until a message, the time at which things change by themselves, or a slow safety poll. The others wait behind it in memory, so
 * a thousand waiters cost the server no more than one.
 */
export class Contention<Wanted, Got extends object> {
  private readonly waiters = new Set<Waiter<Wanted, Got>>();
  /** Those whose wait is over, but who are told only when the try that is on its way has shown how things stand. */
  private readonly overdue = new Map<Waiter<Wanted, Got>, WaitEnd>();
  private readonly wakeUp: WakeUp;
  private running = false;
  private listening = false;
  private subscription: Subscription | undefined;
  private trying: Waiter<Wanted, Got> | undefined;
  private lastSeen: LastSeen;

  constructor(
    private readonly name: string,
    private readonly channel: string | undefined,
    private readonly tries: Tries<Wanted, Got>,
    private readonly waiting: Waiting,
    private readonly onIdle: () => void,
  ) {
    this.wakeUp = new WakeUp(waiting.scheduler);
  }

  /** Waits in line. Rejects when the limit ends, with nothing left behind. */
  enter(asked: Asked, wanted: Wanted, pace?: Pace): Promise<Got> {
    return new Promise((resolve, reject) => {
      const stopWatching = asked.limit.watch((end) => this.giveUp(waiter, end));
      const waiter: Waiter<Wanted, Got> = {
        asked,
        wanted,
        pace,
        grant: (got) => {
          stopWatching();
          resolve(got);
        },
        refuse: (error) => {
          stopWatching();
          reject(error);
        },
      };
      this.waiters.add(waiter);
      if (this.running) {
        if (this.isForNow(wanted)) this.wakeUp.notify();
        return;
      }
      this.running = true;
      runOutsideRegions(() => this.run()).catch((error: unknown) => this.collapse(error));
    });
  }

  private async run(): Promise<void> {
    while (this.waiters.size > 0) {
      const pause = await this.round();
      if (this.waiters.size > 0 && pause > 0) await this.rest(pause);
    }
    this.stop();
  }

  /** Whether who wants this may have it although somebody sleeps who wanted it, or wants more. */
  private isForNow(wanted: Wanted): boolean {
    if (this.tries.isShared) return true;
    // Whoever comes during a round is seen by it.
    if (this.trying || !this.lastSeen || this.lastSeen instanceof LockUnavailableError) return false;
    return this.tries.suits?.(wanted, this.lastSeen) ?? false;
  }

  /** Sleeps for `pause` ms, or until it is time to look after things all the same. */
  private async rest(pause: number): Promise<void> {
    const { safety, deaf } = this.waiting.polling;
    this.listen();
    const poll = this.paced() ?? (this.subscription?.alive ? safety : deaf);
    const first = this.first();
    await this.wakeUp.sleep(Math.min(pause, poll));
    // Who leaves takes its pause along: the next one pauses at its own pace.
    if (first?.pace && this.waiters.size > 0 && !this.waiters.has(first)) await this.rest(pause);
  }

  /** What the first in line wants to pause, if anything. A server that cannot answer just now is not asked sooner. */
  private paced(): number | undefined {
    const first = this.first();
    if (!first?.pace || this.lastSeen instanceof LockUnavailableError) return undefined;
    try {
      return first.pace.next();
    } catch (error) {
      this.refuse(first, error);
      return 0;
    }
  }

  /** In the same turn as the last look at the line, so that nobody enters a contention that is over. */
  private stop(): void {
    if (!this.running) return;
    this.running = false;
    this.subscription?.cancel();
    this.subscription = undefined;
    this.onIdle();
  }

  private collapse(error: unknown): void {
    this.refuseAll(error);
    this.stop();
  }

  private first(): Waiter<Wanted, Got> | undefined {
    const [first] = this.waiters;
    return first;
  }

  /**
   * One try for the first in line, and one for each behind it whom what was found last may suit. Resolves with how long
   * to sleep before the next round, unless something happens.
   */
  private async round(): Promise<number> {
    this.wakeUp.forget();
    let found: Busy | undefined;
    // Also those who come while it lasts.
    for (const waiter of this.waiters) {
      if (found && !this.tries.suits) break;
      if (found && !this.tries.suits?.(waiter.wanted, found)) continue;
      const seen = await this.try(waiter);
      if (seen instanceof LockUnavailableError) return UNAVAILABLE_PAUSE_MS * (0.5 + Math.random());
      found = seen;
    }
    return found ? pauseAfter(found) : 0;
  }

  /** One try. Resolves with what it showed; `undefined` where the next may as well be made at once. */
  private async try(waiter: Waiter<Wanted, Got>): Promise<LastSeen> {
    this.trying = waiter;
    const waiting = this.tries.isShared ? [...this.waiters] : [waiter];
    try {
      const result = await this.tries.try(this.name, waiter.wanted);
      if ('got' in result) this.lastSeen = this.handOut(result.got, waiting);
      else this.lastSeen = result;
      return this.lastSeen;
    } catch (error) {
      if (!isPassing(error)) {
        this.refuseAll(error);
        return undefined;
      }
      this.lastSeen = error;
      return error;
    } finally {
      this.trying = undefined;
      for (const [late, end] of this.overdue) this.refuse(late, refusal(late.asked, end, this.lastSeen));
      this.overdue.clear();
    }
  }

  /** To those who still wait for it. */
  private handOut(got: Got, waiting: readonly Waiter<Wanted, Got>[]): Busy | undefined {
    const takers = waiting.filter((waiter) => this.waiters.delete(waiter));
    for (const taker of takers) taker.grant(got);
    if (takers.length === 0) this.tries.giveBack(this.name, got);
    return this.tries.after(got);
  }

  /** Subscribes beside the trying. Failure is no news: the contender polls more often and it is tried again. */
  private listen(): void {
    const { channel } = this;
    if (this.subscription || this.listening || channel === undefined) return;
    this.listening = true;
    this.waiting.wakeUps
      .subscribe(channel, this.wakeUp.notify)
      .then((subscription) => this.listensNow(subscription))
      .catch((error: unknown) => {
        if (!(error instanceof LockUnavailableError)) this.collapse(error);
      })
      .finally(() => {
        this.listening = false;
      });
  }

  private listensNow(subscription: Subscription): void {
    if (!this.running) {
      subscription.cancel();
      return;
    }
    this.subscription = subscription;
    // Between the last try and the acknowledgement a release may have gone unheard: try once more.
    this.wakeUp.notify();
  }

  private giveUp(waiter: Waiter<Wanted, Got>, end: WaitEnd): void {
    // Its own try may still succeed; and before any answer nobody can say whether the lock is held or Redis silent.
    const undecided = this.trying === waiter || (this.trying && !this.lastSeen);
    if (undecided && end.cause === 'elapsed') this.overdue.set(waiter, end);
    else this.refuse(waiter, refusal(waiter.asked, end, this.lastSeen));
  }

  /** What can only be answered so is the answer for everybody in line. */
  private refuseAll(error: unknown): void {
    for (const waiter of this.waiters) this.refuse(waiter, error);
  }

  private refuse(waiter: Waiter<Wanted, Got>, error: unknown): void {
    // A pause of the one who leaves is nobody else's.
    const leavesPause = waiter === this.first() && waiter.pace !== undefined;
    if (!this.waiters.delete(waiter)) return;
    waiter.refuse(error);
    if (leavesPause || this.waiters.size === 0) this.wakeUp.notify();
  }
}
