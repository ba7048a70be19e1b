import type { GrantedHold } from '../holds/granted-hold.js';
import { allSettled } from '../concurrency.js';
import { CompositeHold } from '../holds/multi-hold.js';
import { assertNameCount, sortedNames } from '../keys/lock-name.js';
import { type AcquireTerms, type LeaseTerms, renewalOf } from '../waiting/acquire.options.js';
import type { InspectedLock } from '../inspection/inspected-lock.js';
import { inspectedTogether } from '../inspection/inspect-lock.js';
import { refusal } from '../waiting/wait-errors.js';
import { acquireAll } from './acquire-members.js';
import {
  type AcquiredMembers,
  CompositeLock,
  type MemberAcquirer,
  type MemberRules,
  membersOf,
} from './composite-lock.js';
import type { LockServices, ReentrantLock } from './reentrant-lock.js';

const RULES: MemberRules = {
  what: 'A multi-lock',
  notALock: (found) => `A multi-lock is made of names and locks, not of ${found}`,
  fewest: 1,
  tooFew: () => 'A multi-lock needs at least one lock',
  givenTwice: (name) =>
    `Lock "${name}" is in the multi-lock twice; the kinds and the halves of one name count as one lock here`,
};

/**
 * Several locks as one, of any kinds, on one server or on several: all or none (Redisson: `getMultiLock`). Members of
 * one connection are acquired in the order of their names, in every process. Members of several connections are
 * acquired in the order given. So that two callers with opposite orders both succeed, no caller waits long for one
 * member while it holds another: it releases what it has and starts again with the missing one.
 */
export class MultiLock extends CompositeLock {
  private readonly inCommonOrder: boolean;

  /**
   * Created by `LockService`.
   * @param locks Locks, or names of locks; a multi-lock stands for its members, and a name counts once.
   * @param lockNamed Makes the lock of a name.
   * @throws LockOptionsError if the list is empty, contains a lock twice, or contains a value that is not a lock;
   *   LockNameError for more than `maxNames` members.
   */
  constructor(runtime: LockServices, locks: readonly unknown[], lockNamed?: (name: string) => ReentrantLock) {
    const { maxNames } = runtime.defaults;
    assertNameCount(RULES.what, locks.length, maxNames);
    const members = membersOf(flattened(locks, lockNamed), RULES, maxNames);
    const inCommonOrder = new Set(members.map((member) => member.runtime)).size === 1;
    super(runtime, inCommonOrder ? inOrderOfNames(members) : members);
    this.inCommonOrder = inCommonOrder;
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

  async inspect(): Promise<InspectedLock> {
    return inspectedTogether(this.name, await Promise.all(this.members.map((member) => member.inspect())));
  }

  /** Acquires every member or none, within one limit. */
  protected async acquireMembers<Got>(
    { lease, limit, note }: AcquireTerms,
    { acquire, holdOf, undo }: MemberAcquirer<Got>,
  ): Promise<AcquiredMembers<Got>> {
    const { members, inCommonOrder } = this;
    const acquired = await acquireAll(
      {
        members,
        inCommonOrder,
        // A lease begins later: the watchdog renews the first member while the last is waited for, however short it is.
        acquire: (member, within) => acquire(member, { lease: renewalOf(lease), limit: within, note }),
        undo,
        complete: (all) => this.begin([...all.values()].map(holdOf), lease),
        aborted: (end) => refusal({ what: 'Lock', name: this.name, template: undefined, limit }, end, undefined),
      },
      limit,
    );
    const holds = members.flatMap((member) => {
      const got = acquired.get(member);
      return got === undefined ? [] : [holdOf(got)];
    });
    return { hold: new CompositeHold(holds, limit.waited), acquired: [...acquired.values()] };
  }

  /** Starts the lease of all members once the last is acquired. */
  private async begin(holds: readonly GrantedHold[], lease: LeaseTerms): Promise<void> {
    if (typeof lease === 'number') await allSettled(holds.map((hold) => hold.limit(lease)));
    for (const hold of holds) hold.assertHeld();
  }
}

const flattened = (locks: readonly unknown[], lockNamed?: (name: string) => ReentrantLock): readonly unknown[] => {
  const names = new Set<string>();
  return locks.flatMap((lock): readonly unknown[] => {
    if (lock instanceof MultiLock) return lock.members;
    if (typeof lock !== 'string' || !lockNamed) return [lock];
    if (names.has(lock)) return [];
    names.add(lock);
    return [lockNamed(lock)];
  });
};

const inOrderOfNames = (members: readonly ReentrantLock[]): readonly ReentrantLock[] => {
  const byName = new Map(members.map((member) => [member.name, member]));
  return sortedNames(byName.keys()).flatMap((name) => byName.get(name) ?? []);
};
