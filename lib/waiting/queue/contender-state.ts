import type { LastOutcome } from '../attempt-strategy.js';
import type { Waiter } from './waiter.js';

/** The state while an attempt is in flight. */
export interface Attempting<Wanted, Got> {
  readonly name: 'attempting';
  /** The waiters that get its result. */
  readonly waiters: ReadonlySet<Waiter<Wanted, Got>>;
  /** Whether it is the last look before a wait ends. Its waiter is then rejected on time, reply or not. */
  readonly isLastLook: boolean;
  /** Whether another process may have released since it was sent: its reply may predate that. */
  isOutdated: boolean;
}

/** There are no waiters. */
export const IDLE = { name: 'idle' } as const;
/** The attempt of a caller that came before the queue is in flight. */
export const PRECEDED = { name: 'preceded' } as const;
/** No attempt is in flight: the contender sleeps, or is about to decide what comes next. */
export const RESTING = { name: 'resting' } as const;

/** The states of a contender: idle → (preceded →) resting ⇄ attempting → idle. */
export type ContenderState<Wanted, Got> = typeof IDLE | typeof PRECEDED | typeof RESTING | Attempting<Wanted, Got>;

/** A round of attempts, one for each waiter that may succeed. */
export interface Round {
  /** The outcome of its last attempt; `undefined`: none yet, or the next attempt may follow at once. */
  readonly outcome: LastOutcome;
  readonly isLastLook: boolean;
}
