import type { LockServices, ReentrantLock } from './reentrant-lock.js';
import { kthLargest, majorityOf, quorumLease } from '../backend/quorum/majority.js';
import {
  isConflict,
  LockConflictError,
  type LockError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
  messageOf,
} from '../errors.js';
import type { GrantedHold } from '../holds/granted-hold.js';
import { MajorityHold } from '../holds/majority-hold.js';
import type { Aborted, WaitLimit } from '../time/wait-limit.js';
import { type AcquireTerms, renewalOf } from '../waiting/acquire.options.js';
import type { InspectedLock } from '../inspection/inspected-lock.js';
import { inspectedTogether } from '../inspection/inspect-lock.js';
import { refusal } from '../waiting/wait-errors.js';
import { acquireMajority, type VoteResult } from './acquire-members.js';
import {
  type AcquiredMembers,
  CompositeLock,
  type MemberAcquirer,
  type MemberRules,
  membersOf,
} from './composite-lock.js';

const FEWEST_MEMBERS = 3;

const RULES: MemberRules = {
  what: 'A majority lock',
  notALock: (found) => `A majority lock is made of locks of one name each, not of ${found}`,
  fewest: FEWEST_MEMBERS,
  tooFew: (count) => `A majority lock needs at least ${FEWEST_MEMBERS} locks, not ${count}: fewer tolerate no failure`,
  givenTwice: (name) => `Lock "${name}" is in the majority lock twice; it would have two votes`,
};

/**
 * Several locks as one, of any kinds, usually on servers that share nothing; a majority of them is enough (Redisson:
 * `getRedLock`). All members are asked at once. Replies and failures of a minority do not change the result.
 */
export class MajorityLock extends CompositeLock {
  private readonly needed: number;

  /**
   * Created by `LockService`.
   * @throws LockOptionsError for fewer than three locks, for a duplicate, and for a value that is not a lock;
   *   LockNameError for more than `maxNames` members.
   */
  constructor(runtime: LockServices, locks: readonly unknown[]) {
    super(runtime, membersOf(locks, RULES, runtime.defaults.maxNames));
    this.needed = majorityOf(this.members.length);
  }

  /**
   * Releases the last hold of the current scope on every member. A minority may fail, or may never have been held.
   * @throws LockOwnershipError if a majority has no hold here, or if their holds had ended before.
   */
  async release(): Promise<void> {
    await this.askAll((member) => member.release());
  }

  /** Ends the hold of every member, whichever owner has it. Returns true if any member was held. */
  async forceRelease(): Promise<boolean> {
    return (await this.askAll((member) => member.forceRelease())).includes(true);
  }

  /** Whether a majority of the members is held, by any owner. */
  async isLocked(): Promise<boolean> {
    const locked = await this.askAll((member) => member.isLocked());
    return locked.filter(Boolean).length >= this.needed;
  }

  /** How often the current scope holds a majority of the members. */
  async holdCount(): Promise<number> {
    const counts = await this.askAll((member) => member.holdCount());
    return kthLargest(this.needed, counts) ?? 0;
  }

  /** Milliseconds for which a majority of the members stays held; −2 if it is not held. */
  async remainingLease(): Promise<number> {
    return quorumLease(this.needed, await this.askAll((member) => member.remainingLease()));
  }

  /** Resolves if a majority of the members can be inspected; `members` has those. */
  async inspect(): Promise<InspectedLock> {
    return inspectedTogether(this.name, await this.askAll((member) => member.inspect()), this.needed);
  }

  /** The answers of the members that replied. @throws The first failure, if too many failed. */
  private async askAll<T>(ask: (member: ReentrantLock) => Promise<T>): Promise<readonly T[]> {
    const results = await Promise.allSettled(this.members.map(ask));
    const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    if (answers.length >= this.needed) return answers;
    throw results.find((result) => result.status === 'rejected')?.reason;
  }

  /** Acquires a majority of the members or none, within one limit. */
  protected async acquireMembers<Got>(
    { lease, limit, note }: AcquireTerms,
    { acquire, holdOf, undo }: MemberAcquirer<Got>,
  ): Promise<AcquiredMembers<Got>> {
    const { members, needed, runtime } = this;
    const voting = {
      members,
      needed,
      // A lease begins later: the watchdog renews the first member while the others are waited for, however short it is.
      acquire: (member: ReentrantLock, within: WaitLimit) =>
        acquire(member, { lease: renewalOf(lease), limit: within, note }),
      undo,
    };
    const outcome = await acquireMajority(voting, limit, runtime.scheduler);
    if (outcome.got.size < needed) throw this.refusal(outcome, limit);
    const acquired = members.flatMap((member) => outcome.got.get(member) ?? []);
    const holds = acquired.map(holdOf);
    const hold = new MajorityHold(holds, limit.waited, needed, members.length);
    try {
      const begun = typeof lease === 'number' ? this.begin(holds, lease) : undefined;
      const end = begun && (await limit.untimed.endBefore(begun));
      if (end?.cause === 'aborted') throw this.aborted(end, limit);
      hold.assertHeld();
    } catch (error) {
      // In the background: the caller need not wait for these releases.
      for (const got of acquired) void undo(got);
      throw error;
    }
    return { hold, acquired };
  }

  /** Starts the lease of all members and resolves once a majority has confirmed; the others are not waited for. */
  private begin(holds: readonly GrantedHold[], lease: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let [begun, failed] = [0, 0];
      for (const hold of holds) {
        hold.limit(lease).then(
          () => {
            begun += 1;
            if (begun >= this.needed) resolve();
          },
          (error: unknown) => {
            failed += 1;
            if (holds.length - failed < this.needed) reject(error);
          },
        );
      }
    });
  }

  private aborted(end: Aborted, limit: WaitLimit): LockError {
    return refusal({ what: 'Lock', name: this.name, template: undefined, limit }, end, undefined);
  }

  private refusal({ failures }: VoteResult<ReentrantLock, unknown>, limit: WaitLimit): LockError {
    const { name, members, needed } = this;
    const { ended } = limit;
    if (ended?.cause === 'aborted') return this.aborted(ended, limit);
    const errors = [...failures.values()];
    const tooMany = (kind: (error: unknown) => boolean): boolean =>
      errors.filter(kind).length > members.length - needed;
    const shutdown = errors.find((error) => error instanceof LockShutdownError);
    if (shutdown) return shutdown;
    const said = members.map((member) => ({ lock: member.name, error: failures.get(member) }));
    const waited = Math.round(limit.waited);
    const context = { lockName: name, details: { members: said, needed, waited }, cause: errors[0] };
    const why = errors.map(messageOf).join('; ');
    const text = `Fewer than ${needed} of the ${members.length} locks "${name}" could be acquired within ${waited} ms: ${why}`;
    if (tooMany((error) => !isConflict(error))) {
      const isPermanent = (error: unknown): boolean => !(error instanceof LockUnavailableError) || error.permanent;
      return new LockUnavailableError(text, 'unknown', tooMany(isPermanent), context);
    }
    return limit.wait === 0 ? new LockConflictError(text, context) : new LockTimeoutError(text, context);
  }
}
