import { LockOptionsError } from '../errors.js';
import { formatValue } from './format-value.js';
import { nearestName } from './nearest.js';

const LEASE = ['ttl', 'duration', 'leaseTime', 'releaseTime', 'expire', 'lockTimeout'];
const WAIT = [
  'retryCount',
  'retryDelay',
  'retryJitter',
  'retries',
  'maxAttempts',
  'timeout',
  'waitTime',
  'acquireTimeout',
];
const KEY_PREFIX = ['prefix', 'lockKeyPrefix'];

/** Names of options in other lock libraries: what does their work here, the first that is known in the place. */
const REMEDIES: readonly (readonly [names: readonly string[], option: string, remedy: string])[] = [
  [LEASE, 'lease', 'it is called lease here'],
  [LEASE, 'renewedLease', 'lease is given where something is locked; holds without one have renewedLease, renewed'],
  [WAIT, 'wait', 'give wait, the longest time to wait, in place of attempts and pauses'],
  [KEY_PREFIX, 'keyPrefix', 'it is called keyPrefix here'],
];

/** Advice in place of an option of another library; `undefined`: it is none. */
const remedyForOtherName = (name: string, known: ReadonlySet<string>): string | undefined =>
  REMEDIES.find(([names, option]) => names.includes(name) && known.has(option))?.[2];

type KeyOf<T> = T extends unknown ? keyof T & string : never;

/** The names of the options `T`: a name too few or too many does not compile. */
export const namesOf =
  <T>() =>
  <const N extends readonly KeyOf<T>[]>(
    ...names: [KeyOf<T>] extends [N[number]] ? N : readonly Exclude<KeyOf<T>, N[number]>[]
  ): ReadonlySet<KeyOf<T>> =>
    new Set(names);

/** The names in a table that has each option once. */
export const namesIn = <K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] =>
  Object.keys(table) as K[];

/** The receiver of options, for messages. */
export interface OptionsPlace {
  /** For example `@Locked`. */
  readonly of: string;
  /** Options that users often try here: the place where they belong, as the end of a sentence. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/**
 * The own properties of an options object, read once. Getters and proxies may return something else later, so the
 * object is not read again.
 * @throws LockOptionsError for a value that is not an object, and for unknown options.
 */
export const parseOptions = <K extends string>(
  options: unknown,
  known: ReadonlySet<K>,
  place: OptionsPlace,
): Partial<Record<K, unknown>> => {
  if (options === undefined) return {};
  let own: Record<string, unknown> | undefined;
  try {
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) own = { ...options };
  } catch (cause) {
    throw new LockOptionsError(`options of ${place.of} could not be read: a property threw`, { cause });
  }
  if (!own) {
    throw new LockOptionsError(`options of ${place.of} must be an object, not ${formatValue(options)}`, {
      details: { value: options },
    });
  }
  const names: ReadonlySet<string> = known;
  for (const name of Object.keys(own)) if (!names.has(name)) throw unknownOption(name, known, place);
  return own as Partial<Record<K, unknown>>;
};

const unknownOption = (
  name: string,
  known: ReadonlySet<string>,
  { of, elsewhere = {} }: OptionsPlace,
): LockOptionsError =>
  new LockOptionsError(`unknown option ${formatValue(name)} of ${of}; ${remedyFor(name, known, elsewhere)}`, {
    details: { option: name },
  });

const remedyFor = (
  name: string,
  known: ReadonlySet<string>,
  elsewhere: NonNullable<OptionsPlace['elsewhere']>,
): string => {
  const place = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  if (place !== undefined) return `it belongs ${place}`;
  const ofOthers = remedyForOtherName(name, known);
  if (ofOthers !== undefined) return ofOthers;
  const names = [...known];
  const nearest = nearestName(name, names);
  return `${nearest === undefined ? '' : `did you mean "${nearest}"? `}known options are ${names.join(', ')}`;
};

/** The error for an invalid option: the rule and the value. */
export const invalidOption = (option: string, value: unknown, rule: string, cause?: unknown): LockOptionsError =>
  new LockOptionsError(`${option} must be ${rule}, not ${formatValue(value)}`, { details: { option, value }, cause });

/** The error for two options that cannot be combined. */
export const contradiction = (one: string, other: string, why: string): LockOptionsError =>
  new LockOptionsError(`${one} and ${other} contradict each other: ${why}`, { details: { options: [one, other] } });

/** An allowed range, both ends included. */
export interface CountRange {
  readonly min: number;
  readonly max: number;
}

/**
 * Parses a number of permits, or of counts.
 * @param option The option's name, for the message.
 * @throws LockOptionsError that names the value.
 */
export const parseCount = (value: unknown, option: string, { min, max }: CountRange): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalidOption(option, value, `a whole number from ${min} to ${max}`);
  }
  // Turns -0 into 0.
  return value + 0;
};

/** @throws LockOptionsError that names option and value. Absent: false. */
export const parseFlag = (value: unknown, option: string): boolean => {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw invalidOption(option, value, 'true or false');
};

export const isSignal = (value: unknown): value is AbortSignal => {
  try {
    // Also checks the state: an object with the prototype of a signal need not be one.
    return value instanceof AbortSignal && typeof value.aborted === 'boolean';
  } catch {
    return false;
  }
};

/** @throws LockOptionsError that names option and value. */
export const parseSignal = (signal: unknown): AbortSignal | undefined => {
  if (signal === undefined || isSignal(signal)) return signal;
  throw invalidOption('signal', signal, 'an AbortSignal');
};

/** The arguments of a method that takes work to run, after options or without them. */
export type WorkArguments<Options, Work> = readonly [work: Work] | readonly [options: Options, work: Work];

/**
 * Tells options and work apart.
 * @param method The called method, for the message.
 * @throws LockOptionsError if the work is not a function.
 */
export const parseWork = <Options, Work>(
  method: string,
  given: WorkArguments<Options, Work>,
): readonly [options: Options | undefined, work: Work] => {
  const [options, work] = given.length === 1 ? [undefined, given[0]] : given;
  if (typeof work === 'function') return [options, work];
  throw new LockOptionsError(`${method} needs a function to run, not ${formatValue(work)}`);
};
