/** How something is held: alone, beside other readers, or as one of so many permits. */
export type Mode = 'exclusive' | 'read' | 'permit';

/**
 * One line of a history. Times are ms of CLOCK_MONOTONIC, which all processes of a machine share, so that no clocks have
 * to be set.
 */
export type Entry =
  /** Somebody asks for something. */
  | {
      readonly k: 'invoke';
      readonly id: string;
      readonly at: number;
      readonly kind: string;
      readonly lock: string;
      readonly mode: Mode;
      /** Milliseconds it is ready to wait. */
      readonly wait: number;
    }
  /** It got it. */
  | {
      readonly k: 'grant';
      readonly id: string;
      readonly at: number;
      readonly fence?: string;
      /** Where it has a lease of its own, ms. */
      readonly lease?: number;
    }
  /**
   * It has it no more. `until`: the last instant at which it could have acted: the call to release, or the last time it
   * was told that it still holds. `lostAt`: when its signal aborted.
   */
  | { readonly k: 'end'; readonly id: string; readonly at: number; readonly until: number; readonly lostAt?: number }
  /** It did not get it. */
  | { readonly k: 'refused'; readonly id: string; readonly at: number; readonly error: string }
  /** Something came out where nobody waits for it: the process would have ended by that. */
  | { readonly k: 'crash'; readonly at: number; readonly error: string };

export const monotonicNow = (): number => Number(process.hrtime.bigint()) / 1e6;
