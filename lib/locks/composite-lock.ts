import type { Entered } from '../reentrancy/critical-section.js';
import type { Terms } from '../waiting/acquire.options.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { ReentrantLock } from './lock.js';

/** How one of several locks is taken, and given back where it comes to nothing. */
export interface Taking<Got> {
  readonly take: (member: ReentrantLock, terms: Terms) => Promise<Got>;
  readonly holdOf: (got: Got) => GrantedHold;
  /** Never rejects: what goes wrong is an event. */
  readonly giveBack: (got: Got) => Promise<void>;
}

/** For whoever releases it by hand. */
export const loosely: Taking<GrantedHold> = {
  take: (member, terms) => member.take(terms),
  holdOf: (hold) => hold,
  giveBack: (hold) => hold.releaseQuietly(),
};

/** For work that runs under it. */
export const forWork: Taking<Entered<GrantedHold>> = {
  take: (member, terms) => member.enter(terms),
  holdOf: ({ hold }) => hold,
  giveBack: ({ leave }) => leave(),
};
