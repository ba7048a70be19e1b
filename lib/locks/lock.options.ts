import { parseSignal } from '../validation/parse-signal.js';
import { parseOptions } from '../validation/options.js';
import { type Duration, parseLease, parseWait } from '../time/duration.js';
import { type ConnectionChoice, parseConnectionName } from '../runtime/connection-registry.js';
import { type ChosenKind, type LockKindOptions, parseKind } from './lock-choice.js';

/** How to acquire a lock. */
export interface AcquireOptions {
  /**
   * After this time the hold ends by itself, in ms or such as `'30s'`. Absent: the watchdog keeps the hold until it is
   * released. 10 … 2^31 − 1 ms.
   */
  readonly lease?: Duration | undefined;
  /** How long to wait for the lock; 0: one try; `Infinity`: without limit. Default: that of the module or the method. */
  readonly wait?: Duration | undefined;
  /** Ends the wait early with `LockAbortedError`. After the lock was acquired it has no effect. */
  readonly signal?: AbortSignal | undefined;
}

/** How to acquire a lock that is given by its name, which kind of lock, and where it lives. */
export type LockOptions = AcquireOptions & LockKindOptions & ConnectionChoice;

/** Options that were read once and checked. */
export interface LockRequest {
  /** Milliseconds; `undefined` is the watchdog. */
  readonly lease: number | undefined;
  readonly wait: number;
  readonly signal: AbortSignal | undefined;
}

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
