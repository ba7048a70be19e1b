import type { HeldSection } from '../reentrancy/critical-section.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { ReentrantLock } from './reentrant-lock.js';

/** Acquires one member of a composite lock, and releases it again if the whole acquisition fails. */
export interface MemberAcquirer<Got> {
  readonly acquire: (member: ReentrantLock, terms: AcquireTerms) => Promise<Got>;
  readonly holdOf: (got: Got) => GrantedHold;
  /** Never rejects: failures are emitted as events. */
  readonly undo: (got: Got) => Promise<void>;
}

/** The member's hold is released manually, by the caller. */
export const manualHold: MemberAcquirer<GrantedHold> = {
  acquire: (member, terms) => member.take(terms),
  holdOf: (hold) => hold,
  undo: (hold) => hold.releaseQuietly(),
};

/** The member's hold lasts for a critical section. */
export const sectionHold: MemberAcquirer<HeldSection<GrantedHold>> = {
  acquire: (member, terms) => member.enter(terms),
  holdOf: ({ hold }) => hold,
  undo: ({ leave }) => leave(),
};
