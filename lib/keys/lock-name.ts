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

export const LATCH_CHANNEL = 'redisson_countdownlatch__channel__';

/** Each name once, in the order of their bytes: the one order in which every process locks several names. */
export function sortedNames(names: Iterable<string>): readonly string[] {
  // JavaScript's own order is that of UTF-16, in which an emoji comes before U+FF01.
  return [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
