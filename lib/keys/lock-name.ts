import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';

/** Configurable limits of lock names, besides the rules for every name. */
export interface NameLimits {
  /** Longest name in bytes of UTF-8. */
  readonly maxBytes: number;
  /** Whether names may contain control characters. They work, but end up in logs and dashboards. */
  readonly allowControlCharacters: boolean;
}

const CONTROL_CHARACTER = /\p{Cc}/u;
/** In a `u` expression this matches only lone surrogates. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/**
 * Returns the name if it is valid. Names are never normalized: `é` as one code point and as two are two names.
 *
 * @throws LockNameError naming the value, if it is not a string, empty, too long, not well-formed, contains a control
 *   character that is not allowed, or has braces that would send the lock's keys to different cluster slots
 */
export function validateName(name: unknown, limits: NameLimits): string {
  if (typeof name !== 'string') throw refusedName(name, 'is not a string');
  const fault = faultOf(name, limits);
  if (fault !== undefined) throw refusedName(name, fault);
  return name;
}

function faultOf(name: string, { maxBytes, allowControlCharacters }: NameLimits): string | undefined {
  if (name === '') return 'is empty';
  // A character has at least one byte, so names of megabytes are refused without being encoded.
  if (name.length > maxBytes || Buffer.byteLength(name) > maxBytes) return `is longer than ${maxBytes} bytes`;
  if (!allowControlCharacters && CONTROL_CHARACTER.test(name)) return 'contains a control character';
  return spellingFault(name);
}

/**
 * Why a text cannot be a name under any configuration, or undefined.
 *
 * A lone surrogate becomes U+FFFD on the wire, so different names would be one lock. Braces: Redis takes the first `}`
 * after the first `{`, Redisson the first `}` of the whole key, and Redisson puts a name into braces only if it has no
 * `{`. If these rules disagree, a lock's channel and its companion keys lie in other slots than the lock.
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

/** @param fault What is wrong with the name, after its text. */
export function refusedName(name: unknown, fault: string): LockNameError {
  const shown = formatValue(name);
  return new LockNameError(`The lock name ${shown} ${fault}`, { details: { name: shown } });
}

export const TOO_MANY_REMEDY = 'lock fewer names in one call, or raise maxNames';

/**
 * Checks the length of a list of names given by a caller. Duplicates count, so that no element has to be read.
 * @param what Owner of the names, at the beginning of a sentence.
 * @throws LockNameError if there are more than `maxNames`
 */
export function assertNameCount(what: string, count: number, maxNames: number): void {
  if (count <= maxNames) return;
  throw new LockNameError(`${what} has ${count} names, and ${maxNames} are allowed; ${TOO_MANY_REMEDY}`, {
    details: { count, maxNames },
  });
}

export const LATCH_CHANNEL = 'redisson_countdownlatch__channel__';

/** Removes duplicates and sorts by bytes: the order in which every process acquires several locks. */
export function sortedNames(names: Iterable<string>): readonly string[] {
  // JavaScript sorts by UTF-16 code units, which puts an emoji before U+FF01.
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
