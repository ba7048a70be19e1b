import { chosenKind } from './lock-kinds.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/**
 * The reentrant lock on a quorum of independent masters.
 * @throws LockOptionsError if none are configured.
 */
export const quorumLock = (runtime: LockServices, name: string): ReentrantLock =>
  new ReentrantLock(runtime, name, undefined, chosenKind(runtime.kinds, 'quorum'));
