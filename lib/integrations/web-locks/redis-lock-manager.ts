import { clientIdOf } from '../../context/owner-ids.js';
import { LockAbortedError } from '../../errors.js';
import type { Hold } from '../../holds/hold.js';
import type { LockService } from '../../lock.service.js';
import type { ReadWriteLock } from '../../locks/read-write-lock.js';
import { parseWork, type WorkArguments } from '../../validation/options.js';
import {
  parseWebLock,
  type WebLockCallback,
  type WebLockInfo,
  type WebLockOptions,
  type WebLockRequest,
  type WebLockSnapshot,
} from './web-lock.js';

/**
 * The calls of the Web Locks API (W3C), as `navigator.locks` has them: a request waits without a limit, is never a
 * re-entry, and holds its lock until the promise of its callback settles. Its lock is a half of the read-write lock of the
 * name, with `preference: 'writer'`, and excludes its other users. The watchdog renews it.
 *
 * @example
 * const locks = new RedisLockManager(lockService);
 * await locks.request('document:7', { mode: 'shared' }, () => read(7));
 */
export class RedisLockManager {
  private readonly pending = new Set<WebLockInfo>();

  /** @param locks Has the locks: of another connection, `lockService.forConnection('billing')`. */
  constructor(private readonly locks: LockService) {}

  /**
   * Runs `callback` under the lock of this name. Resolves with its result, or rejects with its error.
   * @throws DOMException `AbortError` for a lock that was stolen or lost, with the `LockLostError` as its cause;
   *   `NotSupportedError` for options that exclude each other, and for a name that begins with `-`. The reason of `signal`.
   *   LockOptionsError, LockNameError; LockUnavailableError if Redis cannot be asked; LockShutdownError.
   */
  request<T>(name: string, callback: WebLockCallback<T>): Promise<Awaited<T>>;
  /** As {@link request}, with these options. */
  request<T>(name: string, options: WebLockOptions, callback: WebLockCallback<T>): Promise<Awaited<T>>;
  async request<T>(name: string, ...given: WorkArguments<WebLockOptions, WebLockCallback<T>>): Promise<Awaited<T>> {
    const [options, callback] = parseWork('request', given);
    const request = parseWebLock(name, options);
    // As an owner of its own: a request in the callback of another one is no re-entry.
    const hold = await this.locks.runInScope(() => this.take(name, request));
    if (!hold) return await callback(null);
    const { signal } = hold;
    try {
      return await Promise.race([callback({ name, mode: request.mode, signal }), whenLost(signal)]);
    } finally {
      await hold[Symbol.asyncDispose]();
    }
  }

  /**
   * The locks of requests that are held by any process, found by SCAN, and the requests of this manager that wait.
   * @throws LockUnavailableError
   */
  async query(): Promise<WebLockSnapshot> {
    const held: WebLockInfo[] = [];
    for await (const { name, holders } of this.locks.list()) {
      for (const { mode, owner } of holders) {
        if (mode !== 'read' && mode !== 'write') continue;
        held.push({ name, mode: mode === 'read' ? 'shared' : 'exclusive', clientId: clientIdOf(owner) });
      }
    }
    return { held, pending: [...this.pending] };
  }

  private async take(name: string, { mode, how, signal }: WebLockRequest): Promise<Hold | null> {
    const halves = this.locks.getReadWriteLock(name, { preference: 'writer' });
    const lock = mode === 'shared' ? halves.readLock() : halves.writeLock();
    if (how === 'ifAvailable') return lock.tryAcquire();
    if (how === 'steal') return steal(halves);
    const waiting = { name, mode };
    this.pending.add(waiting);
    try {
      return await lock.acquire({ wait: Infinity, signal });
    } catch (error) {
      throw error instanceof LockAbortedError ? error.cause : error;
    } finally {
      this.pending.delete(waiting);
    }
  }
}

/** Ends the holds of others until none of them is faster. */
const steal = async (halves: ReadWriteLock): Promise<Hold> => {
  const [readers, writer] = [halves.readLock(), halves.writeLock()];
  for (;;) {
    const hold = await writer.tryAcquire();
    if (hold) return hold;
    await readers.forceRelease();
    await writer.forceRelease();
  }
};

/** Rejects as the Web Locks API does for a lock that was stolen. */
const whenLost = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const onAbort = (): void => {
      const message = 'The lock was stolen or lost while its callback ran';
      reject(new DOMException(message, { name: 'AbortError', cause: signal.reason }));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
