import type { WaitEnd, WaitLimit } from '../time/wait-limit.js';

/** A turn that was given; ends it. Calling it again does nothing. */
export type Unlock = () => void;

const runUntil = <T>(end: Unlock, task: () => Promise<T>): Promise<T> => {
  const work = task();
  work.then(end, end);
  return work;
};

/** Lets takers in one at a time, first come first served, without asking any server. */
export class AsyncMutex {
  /** Made when somebody has to wait: every hold has turns, and hardly any has a queue. */
  private queue: Set<(end: Unlock) => void> | undefined;
  private isLocked = false;

  /** @param onIdle Called when nobody has or wants a turn any more. */
  constructor(private readonly onIdle?: () => void) {}

  get isIdle(): boolean {
    return !this.isLocked;
  }

  /** Runs `task`, which rejects but does not throw, in its turn, however long that takes to come. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.isLocked ? this.lock().then((end) => runUntil(end, task)) : runUntil(this.begin(), task);
  }

  /** Resolves with the turn, or with the reason why the wait for it ended. */
  lock(): Promise<Unlock>;
  lock(limit: WaitLimit): Promise<Unlock | WaitEnd>;
  lock(limit?: WaitLimit): Promise<Unlock | WaitEnd> {
    const ended = limit?.ended;
    if (ended && (this.isLocked || ended.cause === 'aborted')) return Promise.resolve(ended);
    if (!this.isLocked) return Promise.resolve(this.begin());
    const queue = (this.queue ??= new Set());
    return new Promise((resolve) => {
      const admit = (end: Unlock): void => {
        watching?.stop();
        resolve(end);
      };
      const watching = limit?.watch({
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
    let over = false;
    return () => {
      if (over) return;
      over = true;
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
