import { inspect } from 'node:util';
import { LockLostError } from '../errors.js';
import { type Duration, parseLease } from '../time/duration.js';
import type { Grant } from './grant.js';
import type { CountedHold, HoldLifetime } from './grant-holds.js';
import type { HoldRelease, HoldSummary } from './hold.js';
import { runUnderHold } from './run-under-hold.js';
import { checkLease } from '../waiting/acquire.options.js';

/** A hold of one lock, counted in a grant. */
export class GrantedHold implements CountedHold {
  private releasing: Promise<HoldRelease> | undefined;

  constructor(
    readonly grant: Grant,
    readonly lifetime: HoldLifetime,
    readonly waitedMs: number,
  ) {}

  get name(): string {
    return this.grant.name;
  }

  get owner(): string {
    return this.grant.owner;
  }

  get fence(): bigint | undefined {
    return this.grant.fence;
  }

  get isHeld(): boolean {
    return this.releasing === undefined;
  }

  get signal(): AbortSignal {
    return this.grant.signal;
  }

  assertHeld(): void {
    if (!this.isHeld) {
      throw new LockLostError(`Lock "${this.name}" was already released; this hold of ${this.owner} has ended`, {
        lockName: this.name,
      });
    }
    this.grant.assertHeld();
  }

  async extend(lease: Duration): Promise<void> {
    const ms = parseLease(lease, 'lease');
    checkLease(ms, this.grant.runtime.defaults);
    this.assertHeld();
    await this.grant.extend(this, ms);
  }

  release(): Promise<HoldRelease> {
    this.releasing ??= this.grant.leave(this);
    return this.releasing;
  }

  /** Releases. A failure is emitted as an event, so that the result of the protected work is never replaced. */
  async releaseQuietly(): Promise<void> {
    try {
      await this.release();
    } catch (error) {
      const { runtime, eventFields } = this.grant;
      runtime.events.emit({ type: 'release-failed', ...eventFields, error });
    }
  }

  run<T>(fn: () => T): T {
    return runUnderHold(this, fn);
  }

  /** Restarts a lease if most of it passed while the holder waited for something else. */
  async refresh(lease: number | undefined): Promise<void> {
    if (lease !== undefined && this.grant.lease.remaining < lease / 2) await this.extend(lease);
  }

  /** Starts the intended lease of a hold that the watchdog has renewed so far. */
  async limit(lease: number): Promise<void> {
    this.assertHeld();
    await this.grant.limit(this, lease);
  }

  /** @internal */
  holdAtLeast(ms: number): void {
    this.grant.holdAtLeast(ms);
  }

  toJSON(): HoldSummary {
    const { name, owner, waitedMs, isHeld } = this;
    return { name, owner, waitedMs, isHeld };
  }

  [inspect.custom](): string {
    return `Hold ${inspect(this.toJSON())}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.releaseQuietly();
  }
}
