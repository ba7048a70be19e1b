import type { Hold, Lock, LockService } from '../../lib/index.js';

/** Of a hold that is not renewed, ms. */
interface Lease {
  readonly lease?: number;
}

const ofLock =
  (lockOf: (locks: LockService) => Lock) =>
  (locks: LockService, lease?: Lease): Promise<Hold> =>
    lockOf(locks).acquire(lease);

/** How a hold is acquired, by the kind of its lock. */
export const HOLD_KINDS: Readonly<Record<string, (locks: LockService, lease?: Lease) => Promise<Hold>>> = {
  'a plain lock': ofLock((locks) => locks.getLock('a')),
  'a fair lock': ofLock((locks) => locks.getFairLock('a')),
  'a fenced lock': ofLock((locks) => locks.getFencedLock('a')),
  'a spin lock': ofLock((locks) => locks.getSpinLock('a')),
  'a non-reentrant lock': ofLock((locks) => locks.getNonReentrantLock('a')),
  'a read lock': ofLock((locks) => locks.getReadWriteLock('a').readLock()),
  'a write lock': ofLock((locks) => locks.getReadWriteLock('a').writeLock()),
  'a group lock': ofLock((locks) => locks.getGroupLock('a', ['1', '2'])),
  'a multi-lock': ofLock((locks) => locks.getMultiLock('a', 'b')),
  'a majority lock': ofLock((locks) => locks.getMajorityLock(...['a', 'b', 'c'].map((name) => locks.getLock(name)))),
  'a limit': (locks, lease) => locks.acquire('a', { limit: 2, ...lease }),
};
