import { inspect } from 'node:util';
import { allSettled } from '../concurrency.js';
import { onAbort } from '../time/abort-listeners.js';
import type { GrantedHold } from './granted-hold.js';
import { cannotBeDetached } from './detaching/detach.options.js';
import type { Hold, HoldRelease, HoldSummary } from './hold.js';
import { cannotBeConverted } from './converting/upgrade.options.js';
import type { HoldToken } from './detaching/hold-token.js';
import { LazyAbortController } from './loss.js';
import { runUnderHold } from './run-under-hold.js';

/** One acquisition of several locks: held while all of them are; that of a RedLock, while a majority of them is. */
export interface MultiHold extends Hold {
  /** The holds of the locks that were acquired, in the order of the locks. Releasing this hold releases them all. */
  readonly members: readonly Hold[];
}

/** The holds of several locks as one. */
export class CompositeHold implements MultiHold {
  readonly fence = undefined;
  readonly slot = undefined;
  private readonly stopSignal = new LazyAbortController();
  private readonly stops: (() => void)[] = [];
  private isListening = false;
  private releasing: Promise<HoldRelease> | undefined;

  constructor(
    readonly members: readonly GrantedHold[],
    readonly waited: number,
  ) {}

  get name(): string {
    return this.members.map(({ name }) => name).join(', ');
  }

  get owner(): string {
    return this.members.map(({ owner }) => owner).join(', ');
  }

  get isReleased(): boolean {
    return this.members.every(({ isReleased }) => isReleased);
  }

  get isHeld(): boolean {
    return this.remaining > 0;
  }

  get state(): Hold['state'] {
    return this.stateOf(this.members.length);
  }

  get remaining(): number {
    return Math.min(...this.members.map(({ remaining }) => remaining));
  }

  get signal(): AbortSignal {
    if (!this.isListening) this.listen();
    return this.stopSignal.signal;
  }

  assertHeld(): void {
    for (const member of this.members) member.assertHeld();
  }

  async extend(lease: Parameters<Hold['extend']>[0]): Promise<void> {
    await allSettled(this.members.map((member) => member.extend(lease)));
  }

  release(): Promise<HoldRelease> {
    this.stopListening();
    this.releasing ??= this.releaseMembers();
    return this.releasing;
  }

  async detach(): Promise<HoldToken> {
    throw cannotBeDetached(this.name);
  }

  async tryUpgrade(): Promise<null> {
    throw cannotBeConverted(this.name, 'tryUpgrade');
  }

  async downgrade(): Promise<Hold> {
    throw cannotBeConverted(this.name, 'downgrade');
  }

  abandon(): void {
    this.stopListening();
    for (const member of this.members) member.abandon();
  }

  run<T>(fn: () => T): T {
    const runInAll = this.members.reduce<() => T>(
      (inner, member) => () => member.run(inner),
      () => runUnderHold(this, fn),
    );
    return runInAll();
  }

  /**
   * Called when a loss is no longer of interest: an outer hold of a member may last much longer, and `AbortSignal.any`
   * would stay registered with it as long.
   */
  stopListening(): void {
    this.isListening = true;
    for (const stop of this.stops.splice(0)) stop();
  }

  toJSON(): HoldSummary {
    const { name, owner, waited, isHeld } = this;
    return { name, owner, waited, isHeld };
  }

  [inspect.custom](): string {
    return `Hold ${inspect(this.toJSON())}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopListening();
    await Promise.all(this.members.map((member) => member.releaseQuietly()));
  }

  /** The state of a hold of which so many members are needed. */
  protected stateOf(needed: number): Hold['state'] {
    if (this.isReleased) return 'released';
    const states = this.members.map(({ state }) => state);
    const held = states.filter((state) => state === 'held').length;
    if (held >= needed) return 'held';
    return held + states.filter((state) => state === 'suspended').length >= needed ? 'suspended' : 'lost';
  }

  /** The reason for the holder to stop after the signals of these members have aborted, if it has to. */
  protected reasonToStop([first]: readonly GrantedHold[]): unknown {
    return first?.signal.reason;
  }

  private listen(): void {
    this.isListening = true;
    const look = (): void => {
      const reason = this.reasonToStop(this.members.filter(({ signal }) => signal.aborted));
      if (reason instanceof Error) this.stopSignal.abort(reason);
    };
    for (const { signal } of this.members) if (!signal.aborted) this.stops.push(onAbort(signal, look));
    look();
  }

  /** Releases every member, even if one fails: an unreleased one would stay locked. */
  protected async releaseMembers(): Promise<HoldRelease> {
    const releases = await allSettled(this.members.map((member) => member.release()));
    if (releases.includes('expired')) return 'expired';
    return releases.includes('still-held') ? 'still-held' : 'released';
  }
}
