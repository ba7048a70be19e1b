import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';

/** What a lock's name may be, beyond the rules that hold for every name. */
export interface NameLimits {
  /** Longest name in bytes of UTF-8. */
  readonly maxBytes: number;
  /** Whether control characters may stand in a name. They work, but end up in logs and dashboards. */
  readonly allowControlCharacters: boolean;
}

const CONTROL_CHARACTER = /\p{Cc}/u;
/** In a `u` expression only halves without their other half match. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/**
 * The name itself, when it can be locked. It is never changed: `é` as one code point and as two are two names.
 *
 * @throws LockNameError naming the value, when it is not text, empty, too long, not well-formed, holds a control
 * character that is not allowed, or has braces that would send the lock's keys to different cluster slots
 */
export function validateName(name: unknown, limits: NameLimits): string {
  if (typeof name !== 'string') throw refused(name, 'is not a string');
  const fault = faultOf(name, limits);
  if (fault !== undefined) throw refused(name, fault);
  return name;
}

function faultOf(name: string, { maxBytes, allowControlCharacters }: NameLimits): string | undefined {
  if (name === '') return 'is empty';
  // A character is at least one byte, so megabytes are refused without being encoded.
  if (name.length > maxBytes || Buffer.byteLength(name) > maxBytes) return `is longer than ${maxBytes} bytes`;
  if (!allowControlCharacters && CONTROL_CHARACTER.test(name)) return 'contains a control character';
  return spellingFault(name);
}

/**
 * Why a text cannot be a name however the module is configured, or undefined.
 *
 * Half a surrogate pair becomes U+FFFD on the wire, so that different names would be one lock. Braces: Redis takes the
 * first `}` after the first `{`, Redisson the first `}` of the whole key, and Redisson puts a name into braces only if
 * it has no `{`. Where these rules disagree, a lock's channel and its companion keys lie in other slots than the lock.
 */
export function spellingFault(name: string): string | undefined {
  if (LONE_SURROGATE.test(name)) return 'is not well-formed: it contains half a surrogate pair';
  const open = name.indexOf('{');
  const close = name.indexOf('}');
  if (open === -1 && close === -1) return undefined;
  if (open === -1) return 'has a "}" without a "{" before it';
  if (close === -1) return 'has a "{" without a "}" after it';
  if (close < open) return 'has a "}" before the first "{"';
  return close === open + 1 ? 'has an empty hash tag "{}"' : undefined;
}

function refused(name: unknown, fault: string): LockNameError {
  const shown = formatValue(name);
  return new LockNameError(`The lock name ${shown} ${fault}`, { details: { name: shown } });
}

export const TOO_MANY_REMEDY = 'lock fewer names in one call, or raise maxNames';

/**
 * For lists of names that a caller gives. Elements that are given twice count twice, so that nothing has to be read.
 * @param what Has the names, at the beginning of a sentence.
 * @throws LockNameError if there are more than `maxNames`
 */
export function assertNameCount(what: string, count: number, maxNames: number): void {
  if (count <= maxNames) return;
  throw new LockNameError(`${what} has ${count} names, and ${maxNames} are allowed; ${TOO_MANY_REMEDY}`, {
    details: { count, maxNames },
  });
}

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

const LATCH_CHANNEL = 'redisson_countdownlatch__channel__';

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

/** Each name once, in the order of their bytes: the one order in which every process locks several names. */
export function sortedNames(names: Iterable<string>): readonly string[] {
  // JavaScript's own order is that of UTF-16, in which an emoji comes before U+FF01.
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
