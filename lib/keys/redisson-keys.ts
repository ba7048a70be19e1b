import { LATCH_CHANNEL } from './lock-name.js';

/** Redisson's companion name with a word in front: `word:{name}`, or `word:name` if the name has its own braces. */
export function prefixedName(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

/** Redisson's companion name with a word behind: `{name}:word`, or `name:word` if the name has its own braces. */
export function suffixedName(name: string, suffix: string): string {
  return name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;
}

/** The channel of a lock's releases (plain, fenced, non-reentrant), and the stem of a fair lock's channels. */
export function lockChannel(name: string): string {
  return prefixedName('redisson_lock__channel', name);
}

/** The channel of a semaphore's permits, whether they have ids or not. */
export function semaphoreChannel(name: string): string {
  return prefixedName('redisson_sc', name);
}

/** The channel of a count-down latch: the one name that Redisson always puts into braces. */
export function latchChannel(name: string): string {
  return `${LATCH_CHANNEL}{${name}}`;
}

/**
 * Whether a channel lies in the slot of what it is about, as all do but that of a latch whose name has braces of its
 * own. Redisson cannot use such a latch in a cluster.
 */
export function sharesShard(channel: string): boolean {
  return !channel.startsWith(LATCH_CHANNEL) || !channel.slice(LATCH_CHANNEL.length + 1).includes('{');
}

/**
 * Where a request about something that nobody owns leaves its answer, in case it gets lost: under one of Redisson's
 * unlock latches, which are for just that and which peers leave alone.
 */
export function requestMarker(name: string, requestId: string): string {
  return `${prefixedName('redisson_unlock_latch', name)}:${requestId}`;
}

/** Where a permit-expirable semaphore keeps the permits that are out, by deadline. */
export function permitDeadlines(name: string): string {
  return suffixedName(name, 'timeout');
}

/** The channel of a read-write lock, for readers and writers alike. */
export function readWriteLockChannel(name: string): string {
  return prefixedName('redisson_rwlock', name);
}

/** What the names of a read-write lock's companion keys begin with: the time-outs of its readers, its waiting writers. */
export function readWriteStem(name: string): string {
  return suffixedName(name, '');
}

/** The writers that wait for a read-write lock and are to go first. */
export function waitingWriters(name: string): string {
  return `${readWriteStem(name)}rwlock_writers`;
}

/** The key that lives as long as the n-th read of an owner of a read-write lock, counted from 1. */
export function readTimeout(name: string, owner: string, n: number): string {
  return `${readWriteStem(name)}${owner}:rwlock_timeout:${n}`;
}

/** Where the last fencing token of a lock is kept. */
export function lockToken(name: string): string {
  return prefixedName('redisson_lock_token', name);
}

/** The lock of whoever brings a result that others share. */
export function flightLock(name: string): string {
  return suffixedName(name, 'flight');
}

/** Where a result that others share is kept. */
export function flightResult(name: string): string {
  return suffixedName(name, 'result');
}

/** The channel of one waiter for a fair lock: nobody else is told when its turn comes. */
export function fairChannel(name: string, owner: string): string {
  return `${lockChannel(name)}:${owner}`;
}

/** Who waits for a fair lock, first come first. */
export function fairQueue(name: string): string {
  return prefixedName('redisson_lock_queue', name);
}

/** Until when each waiter for a fair lock keeps its place. */
export function fairDeadlines(name: string): string {
  return prefixedName('redisson_lock_timeout', name);
}
