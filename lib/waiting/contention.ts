import type { Subscription, WakeUps } from '../backend/lock-backend.js';
import { isPassing, LockUnavailableError } from '../errors.js';
import { runOutsideRegions } from '../scope/current-region.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';
import type { WaitEnd } from '../time/wait-limit.js';
import type { Acquired, Attempts } from './attempt.js';
import { type Asked, type LastSeen, refusal } from './refusal.js';
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

interface Waiter {
  readonly asked: Asked;
  readonly lease: number;
  grant(acquired: Acquired): void;
  refuse(error: unknown): void;
}

/**
 * Everybody in this process who waits for one lock. Only the first contends: it tries, subscribes, tries again, and
 * sleeps until a message, the end of the holder's lease, or a slow safety poll. The others wait behind it in memory, so
 * a thousand waiters cost the server no more than one.
 */
export class Contention {
  private readonly waiters = new Set<Waiter>();
  /** Those whose wait is over, but who are told only when the try that is on its way has shown how things stand. */
  private readonly overdue = new Map<Waiter, WaitEnd>();
  private readonly wakeUp: WakeUp;
  private running = false;
  private listening = false;
  private subscription: Subscription | undefined;
  private trying: Waiter | undefined;
  private lastSeen: LastSeen;

  constructor(
    private readonly name: string,
    private readonly channel: string,
    private readonly attempts: Attempts,
    private readonly wakeUps: WakeUps,
    scheduler: SteadyScheduler,
    private readonly polling: Polling,
    private readonly onIdle: () => void,
  ) {
    this.wakeUp = new WakeUp(scheduler);
  }

  /** Waits in line. Rejects when the limit ends, with nothing left behind. */
  enter(asked: Asked, lease: number): Promise<Acquired> {
    return new Promise((resolve, reject) => {
      const stopWatching = asked.limit.watch((end) => this.giveUp(waiter, end));
      const waiter: Waiter = {
        asked,
        lease,
        grant: (acquired) => {
          stopWatching();
          resolve(acquired);
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
    for (let first = this.first(); first; first = this.first()) {
      const pause = await this.try(first);
      if (this.waiters.size === 0) break;
      if (!this.subscription) this.listen();
      await this.wakeUp.sleep(Math.min(pause, this.subscription?.alive ? this.polling.safety : this.polling.deaf));
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

  private first(): Waiter | undefined {
    const [first] = this.waiters;
    return first;
  }

  /** One try for the first in line. Resolves with how long to sleep before the next, unless something happens. */
  private async try(waiter: Waiter): Promise<number> {
    this.trying = waiter;
    this.wakeUp.forget();
    try {
      const result = await this.attempts.acquire(this.name, waiter.lease);
      if ('owner' in result) {
        this.lastSeen = { holder: result.owner, remaining: result.lease };
        if (this.waiters.delete(waiter)) waiter.grant(result);
        else this.attempts.giveBack(this.name, result);
        return waiter.lease;
      }
      this.lastSeen = result;
      return result.remaining < 0 ? Number.POSITIVE_INFINITY : result.remaining + 1 + Math.random() * EXPIRY_JITTER_MS;
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
    this.wakeUps
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

  private giveUp(waiter: Waiter, end: WaitEnd): void {
    // Its own try may still succeed; and before any answer nobody can say whether the lock is held or Redis silent.
    const undecided = this.trying === waiter || (this.trying && !this.lastSeen);
    if (undecided && end.cause === 'elapsed') this.overdue.set(waiter, end);
    else this.refuse(waiter, refusal(waiter.asked, end, this.lastSeen));
  }

  /** What can only be answered so is the answer for everybody in line. */
  private refuseAll(error: unknown): void {
    for (const waiter of this.waiters) this.refuse(waiter, error);
  }

  private refuse(waiter: Waiter, error: unknown): void {
    if (!this.waiters.delete(waiter)) return;
    waiter.refuse(error);
    if (this.waiters.size === 0) this.wakeUp.notify();
  }
}
