import type { CriticalSection } from '../reentrancy/critical-section.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import { GrantedHold } from '../holds/granted-hold.js';
import { ReentrantLock } from '../locks/lock.js';
import type { LockRuntime } from '../runtime/lock-runtime.js';
import type { MultiHold } from '../holds/multi-hold.js';
import { MultiLock } from '../locks/multi-lock.js';
import { Semaphore } from '../synchronizers/semaphore.js';
import { acquireAll } from '../locks/acquire-all.js';
import { refusal } from '../waiting/wait-errors.js';
import type { LockedPlan, Permits } from './locked.options.js';

/** What the names come from, for errors, events and logs. */
interface Origin {
  readonly template: string | undefined;
  /** Such as `@Locked Orders.pay`. */
  readonly method: string;
}

/**
 * Gets in to everything that a call needs, or to nothing.
 * @param names Full names, at least one, each once, in the order in which every process takes them.
 */
export const acquireFor = async (
  runtime: LockRuntime,
  { need, holdAtLeast }: Pick<LockedPlan, 'need' | 'holdAtLeast'>,
  names: readonly string[],
  { template, method }: Origin,
  terms: AcquireTerms,
): Promise<CriticalSection> => {
  if (typeof need === 'object') {
    return enterSemaphores(runtime, names, template, need, terms);
  }
  const locks = names.map((name) => new ReentrantLock(runtime, name, template, runtime.kinds[need], method));
  const [only, ...others] = locks;
  const lock = only && others.length === 0 ? only : new MultiLock(runtime, locks);
  const entered = await lock.enter(terms);
  if (holdAtLeast !== undefined) setMinHold(entered.hold, holdAtLeast);
  return entered;
};

const setMinHold = (hold: GrantedHold | MultiHold, ms: number): void => {
  const members = 'members' in hold ? hold.members : [hold];
  for (const member of members) if (member instanceof GrantedHold) member.holdAtLeast(ms);
};

const enterSemaphores = async (
  runtime: LockRuntime,
  names: readonly string[],
  template: string | undefined,
  { permits }: Permits,
  { limit }: AcquireTerms,
): Promise<CriticalSection> => {
  const entered = await acquireAll<Semaphore, CriticalSection>(
    {
      members: names.map((name) => new Semaphore(runtime, name, template)),
      inCommonOrder: true,
      acquire: (semaphore, within) => semaphore.enter(permits, within),
      undo: ({ leave }) => leave(),
      aborted: (end) => refusal({ what: 'Semaphore', name: names.join(', '), template, limit }, end, undefined),
    },
    limit,
  );
  return {
    run: (fn) => fn(),
    leave: async (kept) => {
      await Promise.all([...entered.values()].map(({ leave }) => leave(kept)));
    },
  };
};
