import type { WaitEnd, WaitLimit } from '../time/wait-limit.js';

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
