import { LockConflictError, type LockService, LockTimeoutError, LockUnavailableError } from 'nest-redis-lock';

export const closeDay = async (locks: LockService, close: () => Promise<void>): Promise<'closed' | 'busy' | 'down'> => {
  try {
    await locks.withLock('close-day', { wait: '5s' }, close);
    return 'closed';
  } catch (error) {
    if (error instanceof LockTimeoutError || error instanceof LockConflictError) return 'busy';
    if (error instanceof LockUnavailableError) return 'down';
    throw error;
  }
};
