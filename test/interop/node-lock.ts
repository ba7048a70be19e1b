import type { Lock, LockService } from '../../lib/index.js';

/** The kinds of locks that this library shares with Redisson. */
export type NodeLockKind = keyof typeof kinds;

type OpenLock = (locks: LockService, name: string) => Lock;

const kinds = {
  plain: (locks, name) => locks.getLock(name),
  nonReentrant: (locks, name) => locks.getNonReentrantLock(name),
  fair: (locks, name) => locks.getFairLock(name),
  fenced: (locks, name) => locks.getFencedLock(name),
  spin: (locks, name) => locks.getSpinLock(name),
  read: (locks, name) => locks.getReadWriteLock(name).readLock(),
  write: (locks, name) => locks.getReadWriteLock(name).writeLock(),
} as const satisfies Record<string, OpenLock>;

/** The kinds that one owner holds at a time. */
export const exclusiveKinds = [
  'plain',
  'nonReentrant',
  'fair',
  'fenced',
  'spin',
  'write',
] as const satisfies NodeLockKind[];

export const lockOfKind = (locks: LockService, kind: NodeLockKind, name: string): Lock => kinds[kind](locks, name);
