import type { LockOperations } from './lock-operations.js';

/**
 * Where fencing tokens come from. `clock`: the server's time in microseconds, or one above the last token where that is
 * more; goes on rising when the server has lost its data. `counter`: one above the last, as Redisson counts.
 */
export type Fences = 'clock' | 'counter';

/** A lock that gives a fencing token to each new owner, above every token given before under its name. */
export interface FencedLockOperations extends LockOperations {
  /**
   * The token given last, to whomever; 0 where none was given yet.
   * @throws WrongKeyTypeError when something else lives under the token's key
   */
  currentToken(name: string): Promise<bigint>;
}
