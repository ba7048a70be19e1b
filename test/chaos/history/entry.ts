/** The mode of a hold: exclusive, shared with other readers, or one of several permits. */
export type Mode = 'exclusive' | 'read' | 'permit';

/**
 * One line of a history. Times are ms of CLOCK_MONOTONIC. All processes of a machine share that clock, so none has to
 * be set.
 */
export type Entry =
  /** A client asks for a hold. */
  | {
      readonly k: 'invoke';
      readonly id: string;
      readonly at: number;
      readonly kind: string;
      readonly lock: string;
      readonly mode: Mode;
      /** The longest time that the client waits, ms. */
      readonly wait: number;
    }
  /** The server has answered that the client waits for a fair lock: it has a place in the queue. */
  | { readonly k: 'placed'; readonly id: string; readonly at: number }
  /** The client got the hold. */
  | {
      readonly k: 'grant';
      readonly id: string;
      readonly at: number;
      readonly fence?: string;
      /** The lease of the hold, ms; absent if the watchdog renews it. */
      readonly lease?: number;
      /** The owner that the load has chosen. */
      readonly owner?: string;
    }
  /**
   * The hold ended. `until`: the last instant at which the holder could have acted, which is its call to release or its
   * last check that it still holds. `lostAt`: the instant at which its signal aborted.
   */
  | { readonly k: 'end'; readonly id: string; readonly at: number; readonly until: number; readonly lostAt?: number }
  /** The client did not get the hold. */
  | { readonly k: 'refused'; readonly id: string; readonly at: number; readonly error: string }
  /** An error stayed unhandled, and would have ended the process. */
  | { readonly k: 'crash'; readonly at: number; readonly error: string };

export const monotonicNow = (): number => Number(process.hrtime.bigint()) / 1e6;
