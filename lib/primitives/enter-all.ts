import type { Entered, Terms } from './entry.js';
import type { ReentrantLock } from './lock.js';

/** Everything that work runs under: what {@link Entered} is for one lock. */
export type Guard = Pick<Entered, 'run' | 'leave'>;

/**
 * Takes all the locks, one after the other in the order given, or none of them. Calls that give the same order never
 * wait for each other in a circle. One wait covers all.
 */
export const enterAll = async (locks: readonly ReentrantLock[], terms: Terms): Promise<Guard> => {
  const held: Entered[] = [];
  const guard: Guard = {
    run: (fn) => {
      for (const { hold } of held) hold.assertHeld();
      const innermost = held.at(-1);
      return innermost ? innermost.run(fn) : fn();
    },
    leave: async () => {
      await Promise.all(held.map((entered) => entered.leave()));
    },
  };
  try {
    for (const lock of locks) held.push(await guard.run(() => lock.enter(terms)));
    await Promise.all(held.map(({ hold }) => hold.refresh(terms.lease)));
    return guard;
  } catch (error) {
    await guard.leave();
    throw error;
  }
};
