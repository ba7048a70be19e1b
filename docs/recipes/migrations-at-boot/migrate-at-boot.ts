import { createLocks, type RedisLockOptions } from 'nest-redis-lock';

/** Brings the database up to date, or waits for the process that does. Then there is nothing left to do here. */
export const migrateAtBoot = async (
  options: RedisLockOptions,
  migrate: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  await using locks = await createLocks(options);
  await locks.withLock('migrations', { wait: '10m' }, ({ signal }) => migrate(signal));
};
