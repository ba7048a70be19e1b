import { Hold } from './primitives/hold.js';
import { type Lock, ReentrantLock } from './primitives/lock.js';
import type { LockOptions } from './primitives/lock.options.js';
import { fullName, type LockRuntime } from './primitives/lock-runtime.js';
import { currentRegion, runInRegion } from './scope/current-region.js';
import { Region } from './scope/region.js';

/**
 * The door to all locks: inject it.
 *
 * @example
 * await this.locks.withLock(`order:${id}`, { wait: '3s' }, async (hold) => {
 *   await pay(id, hold.signal);
 * });
 */
export class LockService {
  /** Made by `RedisLockModule`. */
  constructor(private readonly runtime: LockRuntime) {}

  /** The reentrant lock of this name (Redisson: `getLock`). Costs nothing; nothing is sent. */
  getLock(name: string): Lock {
    return this.lockFor(name);
  }

  /** Runs `fn` under the lock and releases it afterwards. The result or error of `fn` is what comes out. */
  withLock<T>(name: string, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  withLock<T>(name: string, options: LockOptions, fn: (hold: Hold) => T | Promise<T>): Promise<T>;
  async withLock<T>(
    name: string,
    ...call: [fn: (hold: Hold) => T | Promise<T>] | [options: LockOptions, fn: (hold: Hold) => T | Promise<T>]
  ): Promise<T> {
    const lock = this.lockFor(name);
    return call.length === 1 ? lock.withLock(call[0]) : lock.withLock(call[0], call[1]);
  }

  /** Takes the lock, waiting for it if need be. Release it with `hold.release()`, or by `await using`. */
  async acquire(name: string, options?: LockOptions): Promise<Hold> {
    return this.lockFor(name).acquire(options);
  }

  /** Takes the lock, or resolves with null when somebody else has it. `wait` defaults to 0: exactly one try. */
  async tryAcquire(name: string, options?: LockOptions): Promise<Hold | null> {
    return this.lockFor(name).tryAcquire(options);
  }

  /**
   * Runs `fn` as one owner for everything acquired inside, like a thread: what was acquired can be acquired again, and
   * `lock.release()` knows what it means. Starts from nobody, also inside a holder.
   */
  async runInScope<T>(fn: () => T | Promise<T>): Promise<T> {
    const scope = new Region(undefined);
    try {
      return await runInRegion(scope, fn);
    } finally {
      scope.close();
    }
  }

  /** The hold the running code is under: of the lock `name`, or the innermost. Local, without a round trip. */
  currentHold(name?: string): Hold | undefined {
    const wanted = name === undefined ? undefined : this.fullName(name);
    for (const region of currentRegion()?.outwards() ?? []) {
      const { hold } = region;
      if (hold === undefined && wanted !== undefined)
        return this.runtime.seats.find(region, `exclusive ${wanted}`)?.usable?.latestLoose;
      if (!(hold instanceof Hold) || hold.grant.runtime !== this.runtime) continue;
      if (wanted === undefined || hold.name === wanted) return hold;
    }
    return undefined;
  }

  private lockFor(name: string): ReentrantLock {
    return new ReentrantLock(this.runtime, this.fullName(name));
  }

  private fullName(name: string): string {
    return fullName(name, this.runtime.defaults);
  }
}
