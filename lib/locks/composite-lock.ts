import type { HeldSection } from '../reentrancy/critical-section.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { ReentrantLock } from './reentrant-lock.js';

/** How one of several locks is taken, and given back where it comes to nothing. */
export interface MemberAcquirer<Got> {
  readonly acquire: (member: ReentrantLock, terms: AcquireTerms) => Promise<Got>;
  readonly holdOf: (got: Got) => GrantedHold;
  /** Never rejects: what goes wrong is an event. */
  readonly undo: (got: Got) => Promise<void>;
}

/** For whoever releases it by hand. */
export const manualHold: MemberAcquirer<GrantedHold> = {
  acquire: (member, terms) => member.take(terms),
  holdOf: (hold) => hold,
  undo: (hold) => hold.releaseQuietly(),
};

/** For work that runs under it. */
export const sectionHold: MemberAcquirer<HeldSection<GrantedHold>> = {
  acquire: (member, terms) => member.enter(terms),
  holdOf: ({ hold }) => hold,
  undo: ({ leave }) => leave(),
};
