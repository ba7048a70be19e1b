import { parseOptions, invalidOption, parseSignal } from '../validation/options.js';
import { parseLease, parseWait } from '../time/duration.js';
import { formatValue } from '../validation/format-value.js';
import { LockOptionsError } from '../errors.js';
import type { AcquireOptions, LockRequest } from '../waiting/acquire.options.js';

/** The connection of everything that names none. */
export const DEFAULT_CONNECTION_NAME = 'default';
/** Shows names only: options and clients, too, know passwords. */
export const refused = (rule: string, value: unknown): LockOptionsError => {
  const [found, details] = isConnectionName(value) ? [`, not ${formatValue(value)}`, { value }] : ['', {}];
  return new LockOptionsError(`connection must be ${rule}${found}`, { details: { option: 'connection', ...details } });
};

interface KindChoice {
  /**
   * `exclusive` (default): one holder. `read` and `write`: the halves of the read-write lock of that name, where many
   * may read, or one may write (Redisson: `getReadWriteLock`).
   */
  readonly mode?: 'exclusive' | 'read' | 'write' | undefined;
  /** First come, first served among all processes (Redisson: `getFairLock`). Only of exclusive locks. Default: false. */
  readonly fair?: boolean | undefined;
  /**
   * Whether the hold carries a fencing token, as `hold.fence` (Redisson: `getFencedLock`). Only of exclusive locks that
   * are not fair. Default: false.
   */
  readonly fenced?: boolean | undefined;
}

/** Which kind of lock a name stands for. Absent: the plain one. No kind is two of fair, fenced and read or write. */
export type LockKindOptions =
  | (KindChoice & { readonly mode?: 'exclusive' | undefined; readonly fenced?: false | undefined })
  | (KindChoice & { readonly mode?: 'exclusive' | undefined; readonly fair?: false | undefined })
  | (KindChoice & { readonly fair?: false | undefined; readonly fenced?: false | undefined });

/** The kinds that options can name. */
export type ChosenKind = 'plain' | 'fair' | 'fenced' | 'read' | 'write';

/** Two options that no lock can have at once. */
export const contradiction = (one: string, other: string, why: string): LockOptionsError =>
  new LockOptionsError(`${one} and ${other} contradict each other: ${why}`, { details: { options: [one, other] } });

const isOn = (option: string, value: unknown): boolean => {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw invalidOption(option, value, 'true or false');
};

/**
 * @param given What a caller gave, whatever it may be.
 * @throws LockOptionsError naming option and value, or both options where they contradict each other.
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
    if (fenced) throw contradiction('fenced', `mode "${mode}"`, 'a read-write lock gives no fences');
    return mode;
  }
  if (fair) return 'fair';
  return fenced ? 'fenced' : 'plain';
};
/** How to acquire a lock that is given by its name, which kind of lock, and where it lives. */
export type LockOptions = AcquireOptions & LockKindOptions & ConnectionChoice;
const ACQUIRE_OPTIONS = ['lease', 'wait', 'signal'] as const;
/** A lock that is there already has its kind and its connection. */
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
 * @param defaultWait Milliseconds where the caller gave no wait.
 * @throws LockOptionsError naming option and value.
 */
export const parseLockOptions = (options: AcquireOptions | undefined, defaultWait: number): LockRequest =>
  parseRequest(parseOptions(options, ACQUIRE_OPTIONS, ACQUIRE_PLACE), defaultWait);

/** Which lock of a name. */
export interface LockChoice {
  readonly kind: ChosenKind;
  readonly connection: string | undefined;
  /** How it is to be acquired: still to be read, with the default of the lock. */
  readonly options: GivenOptions;
}

/** Options of whatever value. */
type GivenOptions = Partial<Record<keyof AcquireOptions, unknown>>;

const PLAIN: LockChoice = { kind: 'plain', connection: undefined, options: {} };

/** @throws LockOptionsError naming option and value, or two options that contradict each other. */
export const parseChoice = (options: LockOptions | undefined): LockChoice => {
  if (options === undefined) return PLAIN;
  const given = parseOptions(options, LOCK_OPTIONS, { of: 'acquire, tryAcquire and withLock' });
  return { kind: parseKind(given), connection: parseConnectionName(given.connection), options: given };
};

/** {@link parseLockOptions} of what was read already. */
export const parseRequest = ({ lease, wait, signal }: GivenOptions, defaultWait: number): LockRequest => ({
  lease: lease === undefined ? undefined : parseLease(lease, 'lease'),
  wait: wait === undefined ? defaultWait : parseWait(wait, 'wait'),
  signal: parseSignal(signal),
});
/** On which connection of the module a lock lives. */
export interface ConnectionChoice {
  /** One of the module's `connections`. Default: that of the service that is asked; `default` for `@Locked`. */
  readonly connection?: string | undefined;
}

/** A URL is none: it may carry a password, and names are shown. */
export const isConnectionName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('://');

/** @throws LockOptionsError where a caller gave anything but a name; whether there is such a connection shows later. */
export const parseConnectionName = (value: unknown): string | undefined => {
  if (value === undefined || isConnectionName(value)) return value;
  throw refused('the name of one of the module\'s "connections"', value);
};
