import type { LockService, RedisLockOptions } from 'nest-redis-lock';

/** Options of `RedisLockModule` or `createLocks`, the same as those of Redisson. */
export const besideRedisson = (connection: string, renewedLease: number): RedisLockOptions => ({
  connection,
  keyPrefix: 'billing:', // NameMapper
  renewedLease, // lockWatchdogTimeout, ms
  fencing: 'counter', // as in Redisson, if both take fenced locks
});

export const closeInvoice = <T>(
  locks: LockService,
  id: string,
  close: (signal: AbortSignal) => Promise<T>,
): Promise<T> => locks.withLock(`invoice:${id}`, { wait: '1m' }, ({ signal }) => close(signal));
