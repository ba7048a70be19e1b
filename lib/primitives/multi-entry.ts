import type { SteadyScheduler } from '../time/steady-scheduler.js';
import type { Entered } from './entry.js';
import type { ReentrantLock } from './lock.js';
import type { LockRequest } from './lock.options.js';

/** Everything that work runs under: what {@link Entered} is for one lock. */
export type Guard = Pick<Entered, 'run' | 'leave'>;

/**
 * Takes all the locks, one after the other in the order given, or none of them. Calls that give the same order never
 * wait for each other in a circle. One wait covers all.
 */
export const enterAll = async (
  locks: readonly ReentrantLock[],
  request: LockRequest,
  scheduler: SteadyScheduler,
): Promise<Guard> => {
  const started = scheduler.now();
  const held: Entered[] = [];
  const guard: Guard = {
    run: (fn) => {
      const innermost = held.at(-1);
      return innermost ? innermost.run(fn) : fn();
    },
    leave: async () => {
      for (const entered of held.toReversed()) await entered.leave();
    },
  };
  try {
    for (const lock of locks) {
      const wait = held.length === 0 ? request.wait : Math.max(0, request.wait - (scheduler.now() - started));
      held.push(await guard.run(() => lock.enter({ ...request, wait })));
    }
    return guard;
  } catch (error) {
    await guard.leave();
    throw error;
  }
};
