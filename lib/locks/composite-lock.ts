import { LockOptionsError } from '../errors.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import type { CompositeHold, MultiHold } from '../holds/multi-hold.js';
import { assertNameCount } from '../keys/lock-name.js';
import { enteredTogether, type HeldSection } from '../reentrancy/critical-section.js';
import { withCopies } from '../validation/own-place.js';
import { formatValue } from '../validation/format-value.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import { AcquirableLock, type LockServices, ReentrantLock } from './reentrant-lock.js';

/** Acquires one member of a composite lock, and releases it again if the whole acquisition fails. */
export interface MemberAcquirer<Got> {
  readonly acquire: (member: ReentrantLock, terms: AcquireTerms) => Promise<Got>;
  readonly holdOf: (got: Got) => GrantedHold;
  /** Never rejects: failures are emitted as events. */
  readonly undo: (got: Got) => Promise<void>;
}

/** The member's hold is released manually, by the caller. */
const manualHold: MemberAcquirer<GrantedHold> = {
  acquire: (member, terms) => member.take(terms),
  holdOf: (hold) => hold,
  undo: (hold) => hold.releaseQuietly(),
};

/** The member's hold lasts for a critical section. */
const sectionHold: MemberAcquirer<HeldSection<GrantedHold>> = {
  acquire: (member, terms) => member.enter(terms),
  holdOf: ({ hold }) => hold,
  undo: ({ leave }) => leave(),
};

/** The members that were acquired, and the hold of them together. */
export interface AcquiredMembers<Got> {
  readonly hold: CompositeHold;
  readonly acquired: readonly Got[];
}

/** Several locks as one. */
export abstract class CompositeLock extends AcquirableLock<MultiHold> {
  /** The names of all members, separated by commas. */
  readonly name: string;

  constructor(
    runtime: LockServices,
    readonly members: readonly ReentrantLock[],
  ) {
    super(runtime);
    this.name = members.map(({ name }) => name).join(', ');
  }

  async take(terms: AcquireTerms): Promise<MultiHold> {
    return (await this.acquireMembers(terms, manualHold)).hold;
  }

  async enter(terms: AcquireTerms): Promise<HeldSection<MultiHold>> {
    const { hold, acquired } = await this.acquireMembers(terms, sectionHold);
    return enteredTogether(hold, acquired);
  }

  checkNote(note: string): void {
    for (const member of this.members) member.checkNote(note);
  }

  /** Acquires as many members as it takes, or none, within one limit. */
  protected abstract acquireMembers<Got>(
    terms: AcquireTerms,
    acquirer: MemberAcquirer<Got>,
  ): Promise<AcquiredMembers<Got>>;
}

/** The locks that a composite lock accepts as members, with the texts of its refusals. */
export interface MemberRules {
  /** Start of a sentence: `A majority lock`. */
  readonly what: string;
  readonly notALock: (found: string) => string;
  readonly fewest: number;
  readonly tooFew: (count: number) => string;
  readonly givenTwice: (name: string) => string;
}

/**
 * Checks the members of a composite lock.
 * @throws LockOptionsError for a value that is not a lock, for too few locks, and for a lock that is given twice;
 *   LockNameError for more than `maxNames` of them.
 */
export const membersOf = (
  locks: readonly unknown[],
  { what, notALock, fewest, tooFew, givenTwice }: MemberRules,
  maxNames: number,
): readonly ReentrantLock[] => {
  assertNameCount(what, locks.length, maxNames);
  const members = locks.map((lock) => {
    if (lock instanceof ReentrantLock) return lock;
    throw new LockOptionsError(withCopies(notALock(formatValue(lock))), { details: { value: lock } });
  });
  if (members.length < fewest) throw new LockOptionsError(tooFew(members.length));
  const twice = firstRepeated(members);
  if (!twice) return members;
  throw new LockOptionsError(givenTwice(twice.name), { lockName: twice.name });
};

/**
 * Returns the first lock that repeats an earlier name of the same connection, if any. Kinds of one name count as one
 * lock: they exclude each other or, as the halves of a read-write lock, wait for each other.
 */
export const firstRepeated = (locks: readonly ReentrantLock[]): ReentrantLock | undefined => {
  const seen = new Map<LockServices, Set<string>>();
  return locks.find(({ runtime, name }) => {
    const names = seen.get(runtime);
    if (names === undefined) seen.set(runtime, new Set([name]));
    else if (names.has(name)) return true;
    else names.add(name);
    return false;
  });
};
