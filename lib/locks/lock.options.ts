import { parseOptions, invalidOption, parseSignal } from '../validation/options.js';
import { parseLease, parseWait } from '../time/duration.js';
import { formatValue } from '../validation/format-value.js';
import { LockOptionsError } from '../errors.js';
import type { AcquireOptions, LockRequest } from '../waiting/acquire.options.js';

/** Name of the connection used if none is named. */
export const DEFAULT_CONNECTION_NAME = 'default';
/** Prints only values that are valid names: options, URLs and clients may contain passwords. */
export const refused = (rule: string, value: unknown): LockOptionsError => {
  const [found, details] = isConnectionName(value) ? [`, not ${formatValue(value)}`, { value }] : ['', {}];
  return new LockOptionsError(`connection must be ${rule}${found}`, { details: { option: 'connection', ...details } });
};

interface KindChoice {
  /**
   * `exclusive` (default): one holder. `read` and `write`: the halves of the read-write lock of that name; many readers
   * or one writer (Redisson: `getReadWriteLock`).
   */
  readonly mode?: 'exclusive' | 'read' | 'write' | undefined;
  /** First come, first served across all processes (Redisson: `getFairLock`). Exclusive locks only. Default: false. */
  readonly fair?: boolean | undefined;
  /**
   * Whether the hold carries a fencing token, as `hold.fence` (Redisson: `getFencedLock`). Exclusive locks that are not
   * fair only. Default: false.
   */
  readonly fenced?: boolean | undefined;
}

/** The kind of lock behind a name. Default: the plain one. At most one of fair, fenced and read or write. */
export type LockKindOptions =
  | (KindChoice & { readonly mode?: 'exclusive' | undefined; readonly fenced?: false | undefined })
  | (KindChoice & { readonly mode?: 'exclusive' | undefined; readonly fair?: false | undefined })
  | (KindChoice & { readonly fair?: false | undefined; readonly fenced?: false | undefined });

/** The kinds that options can select. */
export type ChosenKind = 'plain' | 'fair' | 'fenced' | 'read' | 'write';

/** Error for two options that cannot be combined. */
export const contradiction = (one: string, other: string, why: string): LockOptionsError =>
  new LockOptionsError(`${one} and ${other} contradict each other: ${why}`, { details: { options: [one, other] } });

const isOn = (option: string, value: unknown): boolean => {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw invalidOption(option, value, 'true or false');
};

/**
 * @param given The caller's options, unchecked.
 * @throws LockOptionsError that names option and value, or both options if they contradict each other.
 */
export const parseKind = (given: Partial<Record<keyof KindChoice, unknown>>): ChosenKind => {
  const { mode = 'exclusive' } = given;
  const [fair, fenced] = [isOn('fair', given.fair), isOn('fenced', given.fenced)];
  if (mode !== 'exclusive' && mode !== 'read' && mode !== 'write') {
    throw invalidOption('mode', mode, '"exclusive", "read" or "write"');
  }
  if (fair && fenced) throw contradiction('fair', 'fenced', 'no lock is both');
  if (mode !== 'exclusive') {
    if (fair) throw contradiction('fair', `mode "${mode}"`, 'a read-write lock has no queue');
    if (fenced) throw contradiction('fenced', `mode "${mode}"`, 'a read-write lock has no fencing tokens');
    return mode;
  }
  if (fair) return 'fair';
  return fenced ? 'fenced' : 'plain';
};
/** How to acquire a lock that is given by name, of which kind it is, and on which connection it lives. */
export type LockOptions = AcquireOptions & LockKindOptions & ConnectionChoice;
const ACQUIRE_OPTIONS = ['lease', 'wait', 'signal'] as const;
/** An existing lock object has its kind and connection already. */
const ACQUIRE_PLACE = {
  of: 'acquire, tryAcquire and withLock of a lock',
  elsewhere: {
    fair: 'to the lock: locks.getFairLock(name)',
    fenced: 'to the lock: locks.getFencedLock(name)',
    mode: 'to the lock: locks.getReadWriteLock(name)',
    connection: 'to the lock: locks.forConnection(connection).getLock(name)',
  },
};
const LOCK_OPTIONS = [...ACQUIRE_OPTIONS, 'mode', 'fair', 'fenced', 'connection'] as const;

/**
 * @param defaultWait Default wait limit, ms.
 * @throws LockOptionsError that names option and value.
 */
export const parseLockOptions = (options: AcquireOptions | undefined, defaultWait: number): LockRequest =>
  parseRequest(parseOptions(options, ACQUIRE_OPTIONS, ACQUIRE_PLACE), defaultWait);

/** Kind and connection of a lock that is given by name. */
export interface LockChoice {
  readonly kind: ChosenKind;
  readonly connection: string | undefined;
  /** The acquire options, still to be parsed with the lock's defaults. */
  readonly options: GivenOptions;
}

/** Unchecked option values. */
type GivenOptions = Partial<Record<keyof AcquireOptions, unknown>>;

const PLAIN: LockChoice = { kind: 'plain', connection: undefined, options: {} };

/** @throws LockOptionsError that names option and value, or two options that contradict each other. */
export const parseChoice = (options: LockOptions | undefined): LockChoice => {
  if (options === undefined) return PLAIN;
  const given = parseOptions(options, LOCK_OPTIONS, { of: 'acquire, tryAcquire and withLock' });
  return { kind: parseKind(given), connection: parseConnectionName(given.connection), options: given };
};

/** {@link parseLockOptions} for options whose names were checked already. */
export const parseRequest = ({ lease, wait, signal }: GivenOptions, defaultWait: number): LockRequest => ({
  lease: lease === undefined ? undefined : parseLease(lease, 'lease'),
  wait: wait === undefined ? defaultWait : parseWait(wait, 'wait'),
  signal: parseSignal(signal),
});
/** The module connection on which a lock lives. */
export interface ConnectionChoice {
  /**
   * One of the module's `connections`. Default: the connection of the service that is called; `default` for `@Locked`.
   */
  readonly connection?: string | undefined;
}

/** URLs are refused: they may contain a password, and names appear in logs and errors. */
export const isConnectionName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('://');

/** @throws LockOptionsError if the value is not a valid name. Whether the connection exists is checked later. */
export const parseConnectionName = (value: unknown): string | undefined => {
  if (value === undefined || isConnectionName(value)) return value;
  throw refused('the name of one of the module\'s "connections"', value);
};
