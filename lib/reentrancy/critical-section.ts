import { currentRegion, runInRegion, OwnerContext } from '../context/owner-context.js';
import type { Unlock } from '../concurrency/async-mutex.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import type { CompositeHold, MultiHold } from '../holds/multi-hold.js';

/** A hold that work is to run under, until {@link leave}. */
export interface HeldSection<H extends Hold = Hold> {
  readonly hold: H;
  /** Runs `fn` as the owner; may be called several times. */
  readonly run: <T>(fn: () => T) => T;
  /**
   * Ends the owner's region and releases the hold, when `kept` has settled where that is given: nobody is inside then, and
   * nobody's turn is held up. `kept` does not reject, and neither does this: what goes wrong is an event.
   */
  readonly leave: (kept?: Promise<unknown>) => Promise<void>;
}

/** Everything that work runs under, whatever it is. */
export type CriticalSection = Pick<HeldSection, 'run' | 'leave'>;

/**
 * Puts work under the hold whose turn it is; `endTurn` is called when it has left.
 * @param onKept Called when the work has ended and the hold is kept.
 */
export const entered = (hold: GrantedHold, endTurn: Unlock, onKept?: () => void): HeldSection<GrantedHold> => {
  const region = new OwnerContext(hold, currentRegion());
  const leave = async (kept?: Promise<unknown>): Promise<void> => {
    region.close();
    if (kept) {
      onKept?.();
      endTurn();
      await kept;
    }
    await hold.releaseQuietly();
    endTurn();
  };
  let leaving: Promise<void> | undefined;
  return {
    hold,
    run: (fn) => {
      hold.assertHeld();
      return runInRegion(region, fn);
    },
    leave: (kept) => (leaving ??= leave(kept)),
  };
};

/**
 * Puts work under several holds at once, so that what it runs is covered by each.
 * @param parts What each of the holds was entered by.
 */
export const enteredTogether = (hold: CompositeHold, parts: readonly HeldSection[]): HeldSection<MultiHold> => {
  const members: OwnerContext[] = [];
  for (const member of hold.members) members.push(new OwnerContext(member, members.at(-1) ?? currentRegion()));
  const innermost = new OwnerContext(hold, members.at(-1) ?? currentRegion());
  return {
    hold,
    run: (fn) => {
      hold.assertHeld();
      return runInRegion(innermost, fn);
    },
    leave: async (kept) => {
      for (const region of [innermost, ...members]) region.close();
      hold.stopListening();
      await Promise.all(parts.map(({ leave }) => leave(kept)));
    },
  };
};
