import { LockOptionsError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { assertNameCount, sortedNames } from '../keys/lock-name.js';
import { refusal } from '../waiting/wait-errors.js';
import { type LockServices, AcquirableLock, ReentrantLock } from './reentrant-lock.js';
import { type HeldSection, enteredTogether } from '../reentrancy/critical-section.js';
import type { AcquireTerms } from '../waiting/acquire.options.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import { allSettled, CompositeHold, type MultiHold } from '../holds/multi-hold.js';
import { firstRepeated } from './repeated-lock.js';
import { acquireAll } from './acquire-all.js';
import { sectionHold, manualHold, type MemberAcquirer } from './composite-lock.js';

/**
 * Several locks as one, of any kinds, on one server or on several: all or none (Redisson: `getMultiLock`). Members of
 * one connection are acquired in the order of their names, in every process. Members of several connections are
 * acquired in the order given. So that two callers with opposite orders both succeed, no caller waits long for one
 * member while it holds another: it releases what it has and starts again with the missing one.
 */
export class MultiLock extends AcquirableLock<MultiHold> {
  /** The names of all members, separated by commas. */
  readonly name: string;
  readonly members: readonly ReentrantLock[];
  private readonly inCommonOrder: boolean;

  /**
   * Created by `LockService`.
   * @param locks Locks; a multi-lock stands for its members.
   * @throws LockOptionsError if the list is empty, contains a lock twice, or contains a value that is not a lock;
   *   LockNameError for more than `maxNames` members.
   */
  constructor(runtime: LockServices, locks: readonly unknown[]) {
    super(runtime);
    const members = membersOf(locks, runtime.defaults.maxNames);
    this.inCommonOrder = new Set(members.map((member) => member.runtime)).size === 1;
    this.members = this.inCommonOrder ? inOrderOfNames(members) : members;
    this.name = this.members.map(({ name }) => name).join(', ');
  }

  /** @internal */
  async take(terms: AcquireTerms): Promise<MultiHold> {
    const { hold } = await this.acquireMembers(terms, manualHold);
    return hold;
  }

  /** @internal */
  async enter(terms: AcquireTerms): Promise<HeldSection<MultiHold>> {
    const { hold, taken } = await this.acquireMembers(terms, sectionHold);
    return enteredTogether(hold, taken);
  }

  /**
   * Releases the last hold of the current scope on every member, even if one of the releases fails.
   * @throws LockOwnershipError if a member has no hold here, or if its hold had ended before.
   */
  async release(): Promise<void> {
    await allSettled(this.members.map((member) => member.release()));
  }

  /** Ends the hold of every member, whichever owner has it. Returns true if any member was held. */
  async forceRelease(): Promise<boolean> {
    return (await allSettled(this.members.map((member) => member.forceRelease()))).includes(true);
  }

  /** Whether every member is held, by any owner. */
  async isLocked(): Promise<boolean> {
    return !(await Promise.all(this.members.map((member) => member.isLocked()))).includes(false);
  }

  /** The lowest hold count of the current scope among the members. */
  async holdCount(): Promise<number> {
    return Math.min(...(await Promise.all(this.members.map((member) => member.holdCount()))));
  }

  /** Milliseconds until the first lease of a member ends; −2 if a member is not held. */
  async remainingLease(): Promise<number> {
    const remaining = await Promise.all(this.members.map((member) => member.remainingLease()));
    if (remaining.includes(-2)) return -2;
    const limited = remaining.filter((ms) => ms !== -1);
    return limited.length > 0 ? Math.min(...limited) : -1;
  }

  /** Acquires every member or none, within one limit. */
  private async acquireMembers<Got>(
    { lease, limit }: AcquireTerms,
    { acquire, holdOf, undo }: MemberAcquirer<Got>,
  ): Promise<{ readonly hold: CompositeHold; readonly taken: readonly Got[] }> {
    const { members, inCommonOrder } = this;
    const taken = await acquireAll(
      {
        members,
        inCommonOrder,
        // No lease yet: the watchdog renews the first member while the last is waited for, however short the lease.
        acquire: (member, within) => acquire(member, { lease: undefined, limit: within }),
        undo,
        complete: (all) => this.begin([...all.values()].map(holdOf), lease),
        aborted: (end) => refusal({ what: 'Lock', name: this.name, template: undefined, limit }, end, undefined),
      },
      limit,
    );
    const holds = members.flatMap((member) => {
      const got = taken.get(member);
      return got === undefined ? [] : [holdOf(got)];
    });
    return { hold: new CompositeHold(holds, limit.waited), taken: [...taken.values()] };
  }

  /** Starts the lease of all members once the last is acquired. */
  private async begin(holds: readonly GrantedHold[], lease: number | undefined): Promise<void> {
    if (lease !== undefined) await allSettled(holds.map((hold) => hold.limit(lease)));
    for (const hold of holds) hold.assertHeld();
  }
}

const membersOf = (locks: readonly unknown[], maxNames: number): readonly ReentrantLock[] => {
  const members = locks.flatMap((lock): readonly ReentrantLock[] => {
    if (lock instanceof MultiLock) return lock.members;
    if (lock instanceof ReentrantLock) return [lock];
    throw new LockOptionsError(`A multi-lock is made of names and locks, not of ${formatValue(lock)}`, {
      details: { value: lock },
    });
  });
  if (members.length === 0) throw new LockOptionsError('A multi-lock needs at least one lock');
  assertNameCount('A multi-lock', members.length, maxNames);
  const twice = firstRepeated(members);
  if (!twice) return members;
  throw new LockOptionsError(
    `Lock "${twice.name}" is in the multi-lock twice; the kinds and the halves of one name count as one lock here`,
    { lockName: twice.name },
  );
};

const inOrderOfNames = (members: readonly ReentrantLock[]): readonly ReentrantLock[] => {
  const byName = new Map(members.map((member) => [member.name, member]));
  return sortedNames(byName.keys()).flatMap((name) => byName.get(name) ?? []);
};
