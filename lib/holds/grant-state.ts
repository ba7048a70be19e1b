import type { LossReason } from '../watchdog/lease.js';

/** Why a grant was lost; `unconfirmed`: it is unknown whether its owner has become another one. */
export type GrantLoss = LossReason | 'unconfirmed';

/** Held as the server granted it: no command was sent since. */
interface Granted {
  readonly phase: 'granted';
  readonly loss: undefined;
}

/** Held, and at least one command was sent since the grant. */
interface Changed {
  readonly phase: 'changed';
  readonly loss: undefined;
}

/** No longer held, by the clock or by the server, while holds have not left yet. */
interface Lost {
  readonly phase: 'lost';
  readonly loss: GrantLoss;
}

/**
 * The last hold has left: the lock is handed over, kept for the minimum hold time, left to the end of its lease, or
 * released on the server, which may still have to confirm.
 */
interface Released {
  readonly phase: 'released';
  readonly loss: undefined;
}

/** Lost, and the last hold has left; or the server no longer had it when it was released. */
interface Expired {
  readonly phase: 'expired';
  readonly loss: GrantLoss;
}

export type Held = Granted | Changed;
/** Holds may enter and leave. */
export type Open = Held | Lost;
/** No hold enters any more, and the release is the only command that may follow. */
export type Closed = Released | Expired;

/**
 * The state of a grant, which only the functions below change:
 *
 * ```
 * granted ─► changed          a command was sent
 *    └───┬──────┘
 *        ├────► released      the last hold has left
 *        ▼         ▼          the server no longer had it
 *      lost ───► expired
 * ```
 */
export type GrantState = Open | Closed;

export const GRANTED: Granted = { phase: 'granted', loss: undefined };
const CHANGED: Changed = { phase: 'changed', loss: undefined };
const RELEASED: Released = { phase: 'released', loss: undefined };

export const isHeld = (state: GrantState): state is Held => state.phase === 'granted' || state.phase === 'changed';

export const isClosed = (state: GrantState): state is Closed => state.phase === 'released' || state.phase === 'expired';

/** The state after a command was sent. */
export const afterCommand = (state: Held): Changed => (state.phase === 'changed' ? state : CHANGED);

/** The state after a loss, of which there is at most one. */
export const afterLoss = (state: Held | Released, loss: GrantLoss): Lost | Expired =>
  state.phase === 'released' ? { phase: 'expired', loss } : { phase: 'lost', loss };

/** The state after the last hold has left. */
export const afterClose = (state: Open): Closed =>
  state.phase === 'lost' ? { phase: 'expired', loss: state.loss } : RELEASED;
