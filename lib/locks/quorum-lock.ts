import { LockOptionsError } from '../errors.js';
import { type LockServices, ReentrantLock } from './reentrant-lock.js';

/**
 * The reentrant lock on a quorum of independent masters.
 * @throws LockOptionsError if none are configured.
 */
export const quorumLock = (runtime: LockServices, name: string): ReentrantLock => {
  const { quorum } = runtime.kinds;
  if (quorum) return new ReentrantLock(runtime, name, undefined, quorum);
  throw new LockOptionsError(
    'getRedLock(name) needs independent servers; give redlock: { nodes: [connection, connection, connection] } to the module, whose default connection has them',
    { details: { option: 'redlock' } },
  );
};
