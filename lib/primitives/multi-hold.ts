import { inspect } from 'node:util';
import type { Duration } from '../time/duration.js';
import type { GrantedHold } from './granted-hold.js';
import type { Hold, HoldRelease, HoldSummary } from './hold.js';
import { runUnder } from './run-under.js';

/** One acquisition of several locks: all of them are held, or it is lost. */
export interface MultiHold extends Hold {
  /** The hold of each lock, in the order of the locks. They end together, by the hold of all. */
  readonly members: readonly Hold[];
}

/**
 * Waits for everything that was begun, whatever fails of it.
 * @throws What failed, the first by position where several did.
 */
export const allSettled = async <T>(works: readonly Promise<T>[]): Promise<readonly T[]> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};

/** The holds of several locks as one. */
export class CompositeHold implements MultiHold {
  readonly fence = undefined;
  private anyLost: AbortSignal | undefined;
  private releasing: Promise<HoldRelease> | undefined;

  constructor(
    readonly members: readonly GrantedHold[],
    readonly waitedMs: number,
  ) {}

  get name(): string {
    return this.members.map(({ name }) => name).join(', ');
  }

  get owner(): string {
    return this.members.map(({ owner }) => owner).join(', ');
  }

  get isHeld(): boolean {
    return this.members.every(({ isHeld }) => isHeld);
  }

  get signal(): AbortSignal {
    this.anyLost ??= AbortSignal.any(this.members.map(({ signal }) => signal));
    return this.anyLost;
  }

  assertHeld(): void {
    for (const member of this.members) member.assertHeld();
  }

  async extend(lease: Duration): Promise<void> {
    await allSettled(this.members.map((member) => member.extend(lease)));
  }

  release(): Promise<HoldRelease> {
    this.releasing ??= this.releaseAll();
    return this.releasing;
  }

  run<T>(fn: () => T): T {
    const runInAll = this.members.reduce<() => T>(
      (inner, member) => () => member.run(inner),
      () => runUnder(this, fn),
    );
    return runInAll();
  }

  toJSON(): HoldSummary {
    const { name, owner, waitedMs, isHeld } = this;
    return { name, owner, waitedMs, isHeld };
  }

  [inspect.custom](): string {
    return `Hold ${inspect(this.toJSON())}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.releaseQuietly()));
  }

  /** Every one of them, also when one fails: what nobody gives back stays locked. */
  private async releaseAll(): Promise<HoldRelease> {
    const releases = await allSettled(this.members.map((member) => member.release()));
    if (releases.includes('expired')) return 'expired';
    return releases.includes('still-held') ? 'still-held' : 'released';
  }
}
