import type { Subscription } from '../backend/lock-backend.js';
import { isPassing, LockUnavailableError } from '../errors.js';
import { runOutsideRegions } from '../scope/current-region.js';
import type { WaitEnd } from '../time/wait-limit.js';
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
const UNAVAILABLE_PAUSE_MS = 100;

interface Waiter<Wanted, Got> {
  readonly asked: Asked;
  readonly wanted: Wanted;
  grant(got: Got): void;
  refuse(error: unknown): void;
}

/** Milliseconds until what was found may have changed. */
const pauseAfter = ({ remaining }: Busy): number =>
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
    private readonly channel: string,
    private readonly tries: Tries<Wanted, Got>,
    private readonly waiting: Waiting,
    private readonly onIdle: () => void,
  ) {
    this.wakeUp = new WakeUp(waiting.scheduler);
  }

  /** Waits in line. Rejects when the limit ends, with nothing left behind. */
  enter(asked: Asked, wanted: Wanted): Promise<Got> {
    return new Promise((resolve, reject) => {
      const stopWatching = asked.limit.watch((end) => this.giveUp(waiter, end));
      const waiter: Waiter<Wanted, Got> = {
        asked,
        wanted,
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
      if (this.running) return;
      this.running = true;
      runOutsideRegions(() => this.run()).catch((error: unknown) => this.collapse(error));
    });
  }

  private async run(): Promise<void> {
    const { safety, deaf } = this.waiting.polling;
    for (let first = this.first(); first; first = this.first()) {
      const pause = await this.try(first);
      if (this.waiters.size === 0) break;
      if (pause === 0) continue;
      if (!this.subscription) this.listen();
      await this.wakeUp.sleep(Math.min(pause, this.subscription?.alive ? safety : deaf));
    }
    this.stop();
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

  /** One try for the first in line. Resolves with how long to sleep before the next, unless something happens. */
  private async try(waiter: Waiter<Wanted, Got>): Promise<number> {
    this.trying = waiter;
    this.wakeUp.forget();
    try {
      const result = await this.tries.try(this.name, waiter.wanted);
      if (!('got' in result)) {
        this.lastSeen = result;
        return pauseAfter(result);
      }
      const { got } = result;
      const after = this.tries.after(got);
      this.lastSeen = after;
      if (this.waiters.delete(waiter)) waiter.grant(got);
      else this.tries.giveBack(this.name, got);
      return after ? pauseAfter(after) : 0;
    } catch (error) {
      if (isPassing(error)) this.lastSeen = error;
      else this.refuseAll(error);
      return UNAVAILABLE_PAUSE_MS * (0.5 + Math.random());
    } finally {
      this.trying = undefined;
      for (const [late, end] of this.overdue) this.refuse(late, refusal(late.asked, end, this.lastSeen));
      this.overdue.clear();
    }
  }

  /** Subscribes beside the trying. Failure is no news: the contender polls more often and it is tried again. */
  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    this.waiting.wakeUps
      .subscribe(this.channel, this.wakeUp.notify)
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
    if (!this.waiters.delete(waiter)) return;
    waiter.refuse(error);
    if (this.waiters.size === 0) this.wakeUp.notify();
  }
}
