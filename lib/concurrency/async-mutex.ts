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
  private taken = false;

  /** @param onIdle Called when nobody has or wants a turn any more. */
  constructor(private readonly onIdle?: () => void) {}

  get isIdle(): boolean {
    return !this.taken;
  }

  /** Runs `task`, which rejects but does not throw, in its turn, however long that takes to come. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.taken ? this.take().then((end) => runUntil(end, task)) : runUntil(this.begin(), task);
  }

  /** Resolves with the turn, or with the reason why the wait for it ended. */
  take(): Promise<Unlock>;
  take(limit: WaitLimit): Promise<Unlock | WaitEnd>;
  take(limit?: WaitLimit): Promise<Unlock | WaitEnd> {
    const ended = limit?.ended;
    if (ended && (this.taken || ended.cause === 'aborted')) return Promise.resolve(ended);
    if (!this.taken) return Promise.resolve(this.begin());
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
    this.taken = true;
    return this.endOfTurn();
  }

  private endOfTurn(): Unlock {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const [next] = this.queue ?? [];
      if (next) {
        this.queue?.delete(next);
        next(this.endOfTurn());
      } else {
        this.taken = false;
        this.onIdle?.();
      }
    };
  }
}
