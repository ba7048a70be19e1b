import { formatValue } from '../validation/format-value.js';
import { LATCH_CHANNEL, type NameLimits, refusedName, validateName } from './lock-name.js';

/** Redisson's companion name with a prefix: `word:{name}`, or `word:name` if the name has its own braces. */
export function prefixedName(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

/** Redisson's companion name with a suffix: `{name}:word`, or `name:word` if the name has its own braces. */
export function suffixedName(name: string, suffix: string): string {
  return name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;
}

/** Keys and channels of our own beside a lock. Each may be followed by more, after a colon. */
const OWN_WORDS = ['waiters', 'clients', 'limit', 'flight', 'result', 'blocked', 'holder', 'rwlock_writers'] as const;

type OwnWord = (typeof OWN_WORDS)[number];

/**
 * A key of our own beside a lock. Redisson gives the locks `job` and `{job}` the same companions, which at most wake in
 * vain; ours decide who has the lock, so that they differ: `{job}:waiters` and `{job}::waiters`.
 */
const ownKey = (name: string, word: OwnWord): string => (name.includes('{') ? `${name}::${word}` : `{${name}}:${word}`);

/** A channel of our own beside that of a lock. Scripts make it of the lock's channel as well (`shared/listeners.lua`). */
const ownChannel = (name: string, part: string): string =>
  `${lockChannel(name)}${name.includes('{') ? '::' : ':'}${part}`;

const OWN = new RegExp(
  `^(?:\\{([^{}]*)\\}|(.*\\{.*):):(?:${OWN_WORDS.join('|').replace('holder', 'holder:.*')})$`,
  'su',
);

/** The lock beside which a key of our own has this name; `undefined`: it is no such key. */
export const lockBesideKey = (key: string): string | undefined => {
  const [, bare, braced] = OWN.exec(key) ?? [];
  return bare ?? braced;
};

/** The channel of a lock's releases (plain, fenced, non-reentrant), and the prefix of a fair lock's channels. */
export function lockChannel(name: string): string {
  return prefixedName('redisson_lock__channel', name);
}

/** The channel of a lock on which one client is sent its grants. */
export function clientChannel(name: string, clientId: string): string {
  return ownChannel(name, clientId);
}

/** The channel to which all clients subscribe that can be given a lock, so that the server can count them. */
export function clientsChannel(name: string): string {
  return ownChannel(name, 'clients');
}

/** The channel that tells holders of a name, of any kind, that others have ended a hold of it. */
export function holdersChannel(name: string): string {
  return ownChannel(name, 'holders');
}

/** The channel on which a server tells what happens to a key of one of its databases: a keyspace notification. */
export function keyspaceChannel(database: number, key: string): string {
  return `__keyspace@${database}__:${key}`;
}

/** The clients of this library that wait for a lock, in order of arrival. */
export function waitingClients(name: string): string {
  return ownKey(name, 'waiters');
}

/** The channel of a semaphore's permits, with or without ids. */
export function semaphoreChannel(name: string): string {
  return prefixedName('redisson_sc', name);
}

/** The channel of a count-down latch: the one name that Redisson always puts into braces. */
export function latchChannel(name: string): string {
  return `${LATCH_CHANNEL}{${name}}`;
}

/**
 * Whether a channel lies in the slot of its object. Only the channel of a latch whose name has braces of its own does
 * not; Redisson cannot use such a latch in a cluster.
 */
export function sharesShard(channel: string): boolean {
  return !channel.startsWith(LATCH_CHANNEL) || !channel.slice(LATCH_CHANNEL.length + 1).includes('{');
}

/**
 * Key that stores the reply to a request on an object without an owner, in case the reply is lost (idempotency key).
 * Uses the name of one of Redisson's unlock latches, which serve the same purpose and which peers do not touch.
 */
export function idempotencyKeyOf(name: string, requestId: string): string {
  return `${prefixedName('redisson_unlock_latch', name)}:${requestId}`;
}

/** Deadlines of the acquired permits of a permit-expirable semaphore. */
export function permitDeadlines(name: string): string {
  return suffixedName(name, 'timeout');
}

/** The permits of a limit, a key of our own. */
export function limitPermits(name: string): string {
  return ownKey(name, 'limit');
}

/** The channel of a limit's releases, in the slot of its permits. */
export function limitChannel(name: string): string {
  return lockChannel(limitPermits(name));
}

/** The channel of a read-write lock, for readers and writers alike. */
export function readWriteLockChannel(name: string): string {
  return prefixedName('redisson_rwlock', name);
}

/** Prefix of the time-outs of a read-write lock's readers. */
export function readWriteStem(name: string): string {
  return suffixedName(name, '');
}

/** The writers that wait for a read-write lock with writer preference. */
export function waitingWriters(name: string): string {
  return ownKey(name, 'rwlock_writers');
}

/** Key that lives as long as the n-th read hold of an owner of a read-write lock, counted from 1. */
export function readTimeout(name: string, owner: string, n: number): string {
  return `${readWriteStem(name)}${owner}:rwlock_timeout:${n}`;
}

/** Key of a lock's last fencing token. */
export function lockToken(name: string): string {
  return prefixedName('redisson_lock_token', name);
}

/** Name of the lock held while a shared result is made. */
export function flightLock(name: string): string {
  return ownKey(name, 'flight');
}

/** Key of a shared result. */
export function flightResult(name: string): string {
  return ownKey(name, 'result');
}

/** The channel of one fair-lock waiter: only this waiter is notified when its turn comes. */
export function fairChannel(name: string, owner: string): string {
  return `${lockChannel(name)}:${owner}`;
}

/** The waiters of a fair lock, in order of arrival. */
export function fairQueue(name: string): string {
  return prefixedName('redisson_lock_queue', name);
}

/** How long each fair-lock waiter keeps its queue position. */
export function fairDeadlines(name: string): string {
  return prefixedName('redisson_lock_timeout', name);
}

/** Prefix of the keys that tell who holds a lock; each ends with the owner. Keys of our own. */
export function holderRecords(name: string): string {
  return `${ownKey(name, 'holder')}:`;
}

/** The holds of a lock whose code waits for another lock: a key of our own. */
export function blockedHolds(name: string): string {
  return ownKey(name, 'blocked');
}

/** The settings that a name depends on. */
interface NameSettings {
  readonly keyPrefix: string;
  readonly names: NameLimits;
}

/**
 * The name as stored in Redis of what a caller names.
 * @throws LockNameError
 */
export const storedName = (name: unknown, { keyPrefix, names }: NameSettings): string => {
  // Without this check the prefix alone would make a valid name.
  if (typeof name !== 'string' || name === '') return validateName(name, names);
  return validateName(keyPrefix + name, names);
};

/**
 * As {@link storedName}, for what a caller locks: two different names must not share a key.
 * @throws LockNameError, also for the name of a key that is kept beside another lock
 */
export const fullName = (name: unknown, defaults: NameSettings): string => {
  const full = storedName(name, defaults);
  const beside = full.includes('{') ? lockBesideKey(full) : undefined;
  if (beside === undefined) return full;
  throw refusedName(full, `is the name of a key beside the lock ${formatValue(beside)}`);
};
