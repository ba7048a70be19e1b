import { LockLostError } from '../errors.js';
import type { GrantedHold } from './granted-hold.js';
import { type Hold, type HoldRelease, isStillHeld } from './hold.js';
import { CompositeHold } from './multi-hold.js';
import { runUnderHold } from './run-under-hold.js';

const reasonsIn = (results: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
  results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));

/** The holds of several locks as one, which is held as long as a majority of the locks is. */
export class MajorityHold extends CompositeHold {
  /**
   * @param needed Number of locks that make a majority.
   * @param size Number of all locks, held or not.
   */
  constructor(
    members: readonly GrantedHold[],
    waited: number,
    private readonly needed: number,
    private readonly size: number,
  ) {
    super(members, waited);
  }

  override get state(): Hold['state'] {
    return this.stateOf(this.needed);
  }

  override get remaining(): number {
    const longestFirst = this.members.map(({ remaining }) => remaining).sort((one, other) => other - one);
    return longestFirst[this.needed - 1] ?? 0;
  }

  override assertHeld(): void {
    if (this.alive.length < this.needed) throw this.lossError();
  }

  override async extend(lease: Parameters<Hold['extend']>[0]): Promise<void> {
    const results = await Promise.allSettled(this.members.map((member) => member.extend(lease)));
    if (results.filter(({ status }) => status === 'fulfilled').length >= this.needed) return;
    this.assertHeld();
    // A lost member does not matter as long as a majority is held.
    const reasons = reasonsIn(results);
    throw reasons.find((reason) => !(reason instanceof LockLostError)) ?? reasons[0];
  }

  override run<T>(fn: () => T): T {
    const runInAll = this.alive.reduce<() => T>(
      (inner, member) => () => member.run(inner),
      () => runUnderHold(this, fn),
    );
    return runInAll();
  }

  private get alive(): readonly GrantedHold[] {
    return this.members.filter(isStillHeld);
  }

  /** Locks that were never acquired count as free, so a minority of the releases may fail. */
  protected override async releaseMembers(): Promise<HoldRelease> {
    const results = await Promise.allSettled(this.members.map((member) => member.release()));
    const reasons = reasonsIn(results);
    if (reasons.length > this.size - this.needed) throw reasons[0];
    const releases = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const lost = releases.filter((release) => release === 'expired').length;
    if (this.members.length - lost < this.needed) return 'expired';
    return releases.includes('still-held') ? 'still-held' : 'released';
  }

  protected override reasonToStop(aborted: readonly GrantedHold[]): unknown {
    if (this.members.length - aborted.length >= this.needed) return undefined;
    const reason: unknown = aborted.at(-1)?.signal.reason;
    // A shutdown is not a loss.
    return reason instanceof Error && !(reason instanceof LockLostError) ? reason : this.lossError();
  }

  private lossError(): LockLostError {
    const { alive, name, needed, size } = this;
    return new LockLostError(
      `Only ${alive.length} of the ${size} locks "${name}" are still held, and ${needed} are needed; stop, another owner may hold them`,
      { lockName: name, details: { held: alive.length, needed } },
    );
  }
}
