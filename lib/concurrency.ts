import type { WaitEnd, WaitLimit } from './time/wait-limit.js';
import type { MonotonicScheduler } from './time/scheduler.js';
import { types } from 'node:util';

/** Unlocks the mutex. Further calls have no effect. */
export type Unlock = () => void;

const runUntil = <T>(end: Unlock, task: () => Promise<T>): Promise<T> => {
  const work = task();
  work.then(end, end);
  return work;
};

/** First-come, first-served mutex inside this process. */
export class AsyncMutex {
  /** Created for the first waiter: every grant has a mutex, and hardly any has waiters. */
  private queue: Set<(end: Unlock) => void> | undefined;
  private isLocked = false;

  /** @param onIdle Called when the mutex is unlocked and has no waiters. */
  constructor(private readonly onIdle?: () => void) {}

  get isIdle(): boolean {
    return !this.isLocked;
  }

  /** Runs `task` with the mutex locked, however long that takes. `task` may reject but must not throw. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.isLocked ? this.lock().then((end) => runUntil(end, task)) : runUntil(this.begin(), task);
  }

  /** Resolves with the function that unlocks, or with the reason why the wait ended. */
  lock(): Promise<Unlock>;
  lock(limit: WaitLimit): Promise<Unlock | WaitEnd>;
  lock(limit?: WaitLimit): Promise<Unlock | WaitEnd> {
    const ended = limit?.ended;
    if (ended && (this.isLocked || ended.cause === 'aborted')) return Promise.resolve(ended);
    if (!this.isLocked) return Promise.resolve(this.begin());
    const queue = (this.queue ??= new Set());
    return new Promise((resolve) => {
      const admit = (end: Unlock): void => {
        watch?.stop();
        resolve(end);
      };
      const watch = limit?.watch({
        onEnd: (end) => {
          queue.delete(admit);
          resolve(end);
        },
      });
      queue.add(admit);
    });
  }

  private begin(): Unlock {
    this.isLocked = true;
    return this.unlock();
  }

  private unlock(): Unlock {
    let isUnlocked = false;
    return () => {
      if (isUnlocked) return;
      isUnlocked = true;
      const [next] = this.queue ?? [];
      if (next) {
        this.queue?.delete(next);
        next(this.unlock());
      } else {
        this.isLocked = false;
        this.onIdle?.();
      }
    };
  }
}

/** Counts work that has begun and not ended. */
export class InFlight {
  private count = 0;
  private readonly waiting: (() => void)[] = [];

  get size(): number {
    return this.count;
  }

  add<T>(work: Promise<T>): Promise<T> {
    const end = this.begin();
    work.then(end, end);
    return work;
  }

  /** For work without a promise; the returned function ends it. */
  begin(): () => void {
    let hasEnded = false;
    this.enter();
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.leave();
    };
  }

  /** For work that is certain to call {@link leave} once, at its end. */
  enter(): void {
    this.count += 1;
  }

  leave(): void {
    this.count -= 1;
    if (this.count === 0) for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    while (this.count > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

/** Work that continues after its caller got the result. */
export class Background {
  private readonly works = new InFlight();

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** @param work Must not reject. */
  add(work: Promise<unknown>): void {
    void this.works.add(work);
  }

  /** Resolves when all work is done, or after `ms`. */
  async finish(ms: number): Promise<void> {
    if (this.works.size > 0) await Promise.race([this.works.settled(), this.scheduler.pause(ms)]);
  }
}

/**
 * Waits for all promises, even if some reject.
 * @throws The rejection of the first by position.
 */
export const allSettled = async <T>(works: readonly Promise<T>[]): Promise<readonly T[]> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};

/**
 * Calls `tell` with the rejection if a callback returned a promise where none is awaited: the compiler takes an `async`
 * function for one without a result, and Node ends the process for a rejection that nobody handles.
 */
export const onRejection = (result: unknown, tell: (error: unknown) => void): void => {
  if (types.isPromise(result)) result.then(undefined, tell);
};

/** Marks a promise as handled that is refused as a value: its caller gets the error of that. */
export const refuseQuietly = (result: unknown): void => onRejection(result, () => {});
