import type { LockServices, ReentrantLock } from './reentrant-lock.js';

/**
 * Returns the first lock that repeats an earlier name of the same connection, if any. Kinds of one name count as one
 * lock: they exclude each other or, as the halves of a read-write lock, wait for each other.
 */
export const firstRepeated = (locks: readonly ReentrantLock[]): ReentrantLock | undefined => {
  const seen = new Map<LockServices, Set<string>>();
  return locks.find(({ runtime, name }) => {
    const names = seen.get(runtime);
    if (names === undefined) seen.set(runtime, new Set([name]));
    else if (names.has(name)) return true;
    else names.add(name);
    return false;
  });
};
