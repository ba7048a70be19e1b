import type { Guard } from '../primitives/entered.js';
import type { Terms } from '../primitives/entry.js';
import { ReentrantLock } from '../primitives/lock.js';
import type { LockRuntime } from '../primitives/lock-runtime.js';
import { MultiLock } from '../primitives/multi-lock.js';
import { Semaphore } from '../primitives/semaphore.js';
import { takeAll } from '../primitives/take-all.js';
import type { LockedPlan, Permits } from './locked.options.js';

/**
 * Gets in to everything that a call needs, or to nothing.
 * @param names Full names, at least one, each once, in the order in which every process takes them.
 */
export const enterFor = (
  runtime: LockRuntime,
  need: LockedPlan['need'],
  names: readonly string[],
  template: string | undefined,
  terms: Terms,
): Promise<Guard> => {
  if (typeof need === 'object') {
    const semaphores = names.map((name) => new Semaphore(runtime, name, template));
    return enterSemaphores(semaphores, need, terms);
  }
  const locks = names.map((name) => new ReentrantLock(runtime, name, template, runtime.kinds[need]));
  const [only, ...others] = locks;
  return only && others.length === 0 ? only.enter(terms) : new MultiLock(runtime, locks).enter(terms);
};

const enterSemaphores = async (
  semaphores: readonly Semaphore[],
  { permits }: Permits,
  { limit }: Terms,
): Promise<Guard> => {
  const entered = await takeAll<Semaphore, Guard>(
    {
      parts: semaphores,
      inCommonOrder: true,
      take: (semaphore, within) => semaphore.enter(permits, within),
      giveBack: ({ leave }) => leave(),
    },
    limit,
  );
  return {
    run: (fn) => fn(),
    leave: async () => {
      await Promise.all([...entered.values()].map(({ leave }) => leave()));
    },
  };
};
