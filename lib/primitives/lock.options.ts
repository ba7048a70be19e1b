import { parseSignal } from '../input/parse-signal.js';
import { readOptions } from '../input/read-options.js';
import { type Duration, parseLease, parseWait } from '../time/duration.js';
import { type ConnectionChoice, parseConnectionName } from './connections.js';
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

/**
 * @param defaultWait Milliseconds where the caller gave no wait.
 * @throws LockOptionsError naming option and value.
 */
export const parseLockOptions = (options: AcquireOptions | undefined, defaultWait: number): LockRequest => {
  const { wait, ...terms } = parseTerms(readOptions(options, ['lease', 'wait', 'signal']));
  return { ...terms, wait: wait ?? defaultWait };
};

/** Which lock of a name, and how it is to be acquired. */
export interface LockChoice {
  readonly kind: ChosenKind;
  readonly connection: string | undefined;
  readonly options: AcquireOptions;
}

/** @throws LockOptionsError naming option and value, or two options that contradict each other. */
export const parseChoice = (options: LockOptions | undefined): LockChoice => {
  const given = readOptions(options, ['lease', 'wait', 'signal', 'mode', 'fair', 'fenced', 'connection']);
  return { kind: parseKind(given), connection: parseConnectionName(given.connection), options: parseTerms(given) };
};

const parseTerms = ({ lease, wait, signal }: Partial<Record<keyof AcquireOptions, unknown>>) => ({
  lease: lease === undefined ? undefined : parseLease(lease, 'lease'),
  wait: wait === undefined ? undefined : parseWait(wait, 'wait'),
  signal: parseSignal(signal),
});
