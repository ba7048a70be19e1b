import { currentContext, HoldContext, runInContext } from '../context/owner-context.js';
import type { Unlock } from '../concurrency.js';
import { GrantedHold } from '../holds/granted-hold.js';
import type { Hold } from '../holds/hold.js';
import type { CompositeHold, MultiHold } from '../holds/multi-hold.js';

/** A critical section: work runs under its hold until {@link leave}. */
export interface HeldSection<H extends Hold = Hold> {
  readonly hold: H;
  /** Runs `fn` as the owner; may be called several times. */
  readonly run: <T>(fn: () => T) => T;
  /**
   * Closes the owner's context and releases the hold; with `kept`, only after it has settled, while the next section
   * need not wait for that, since no code is inside any more. `kept` must not reject. Neither does this: failures are
   * events.
   */
  readonly leave: (kept?: Promise<unknown>) => Promise<void>;
}

/** A critical section of any kind, with or without a hold. */
export type CriticalSection = Pick<HeldSection, 'run' | 'leave'>;

const grantedHolds = (hold: Hold | MultiHold): readonly GrantedHold[] =>
  ('members' in hold ? hold.members : [hold]).filter((member) => member instanceof GrantedHold);

/** Keeps the locks of a hold held for at least `ms` from now, even if they are released sooner. */
export const keepAtLeast = (hold: Hold | MultiHold, ms: number): void => {
  for (const member of grantedHolds(hold)) member.holdAtLeast(ms);
};

/**
 * A section whose callers wait only until its release is written, not until the server has confirmed it. A release that
 * has to wait for another command of its grant is confirmed all the same: what the process acquires next must come after
 * it on the connection.
 */
export const leftInBackground = <S extends CriticalSection & { readonly hold?: Hold }>(section: S): S => {
  const leave = (kept?: Promise<unknown>): Promise<void> => {
    const left = section.leave(kept);
    const isSent = !section.hold || grantedHolds(section.hold).every(({ latest }) => latest.grant.isClosed);
    // By then the socket has written the commands that it held back in this turn: the caller may block the event loop.
    return isSent ? new Promise((resolve) => process.nextTick(resolve)) : left;
  };
  return { ...section, leave };
};

/**
 * Opens a section under a hold. On the hot path, see docs/architecture.md#hot-path.
 * @param unlock Unlocks the section mutex on leaving, if the caller has it.
 * @param onKept Called when the work has ended but the hold is kept.
 */
export const entered = (hold: GrantedHold, unlock?: Unlock, onKept?: () => void): HeldSection<GrantedHold> => {
  const context = new HoldContext(hold, currentContext());
  const leave = (kept?: Promise<unknown>): Promise<void> => {
    context.close();
    if (kept) {
      onKept?.();
      unlock?.();
      return kept.then(() => hold.latest.releaseQuietly());
    }
    const released = hold.latest.releaseQuietly();
    return unlock ? released.then(unlock) : released;
  };
  let leaving: Promise<void> | undefined;
  return {
    hold,
    run: (fn) => {
      hold.latest.assertHeld();
      return runInContext(context, fn);
    },
    leave: (kept) => (leaving ??= leave(kept)),
  };
};

/**
 * Opens a section under several holds at once, so that its work is covered by each of them.
 * @param parts The sections of the individual holds.
 */
export const enteredTogether = (hold: CompositeHold, parts: readonly HeldSection[]): HeldSection<MultiHold> => {
  const members: HoldContext[] = [];
  for (const member of hold.members) members.push(new HoldContext(member, members.at(-1) ?? currentContext()));
  const innermost = new HoldContext(hold, members.at(-1) ?? currentContext());
  return {
    hold,
    run: (fn) => {
      hold.assertHeld();
      return runInContext(innermost, fn);
    },
    leave: async (kept) => {
      for (const context of [innermost, ...members]) context.close();
      hold.stopListening();
      await Promise.all(parts.map(({ leave }) => leave(kept)));
    },
  };
};
