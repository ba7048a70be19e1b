import { LockOptionsError } from '../errors.js';
import { invalidOption } from '../validation/refused-option.js';

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
