import { inspect } from 'node:util';
import type { LeaseCommand } from '../watchdog/lease.js';
import { shownOwner } from '../context/chosen-owner.js';
import type { OwnerId } from '../context/owner-ids.js';
import { LockLostError } from '../errors.js';
import { contradiction } from '../validation/options.js';
import type { Grant } from './grant.js';
import type { CountedHold, HoldLifetime } from './grant-holds.js';
import { type Seat, WeakSeat, WITHOUT_END } from './seat.js';
import { eventFieldsOf } from './hold-events.js';
import type { Hold, HoldRelease, HoldSummary } from './hold.js';
import { cannotBeDetached, type DetachOptions, notAlone, parseDetach } from './detaching/detach.options.js';
import { detachGrant } from './detaching/detach-grant.js';
import { type HoldToken, newSecret, ownerOfSecret, tokenOf } from './detaching/hold-token.js';
import { runUnderHold } from './run-under-hold.js';
import { type ConvertedHold, downgradeGrant, upgradeGrant } from './converting/convert-grant.js';
import {
  cannotBeConverted,
  type ConversionName,
  mayHaveEnded,
  parseUpgrade,
  type UpgradeOptions,
} from './converting/upgrade.options.js';
import { isRenewalMissing } from '../watchdog/renewal-schedules.js';
import { checkLease, type LeaseTerms, parseExtension } from '../waiting/acquire.options.js';

/** A hold of one lock, counted in a grant. */
export class GrantedHold implements CountedHold, Seat<GrantedHold> {
  readonly seat: Seat<GrantedHold>;
  term = WITHOUT_END;
  private releasing: Promise<HoldRelease> | undefined = undefined;
  /** Result of a release, once the hold was detached. */
  private endedAs: HoldRelease | undefined;
  /** Settles with an upgrade, a downgrade or a detachment in flight. */
  private converting: Promise<unknown> | undefined;
  /** The request of that, which limits how long the hold is certain. */
  private passing: LeaseCommand | undefined;
  /** The hold that it has become. */
  private successor: GrantedHold | undefined;

  constructor(
    readonly grant: Grant,
    readonly lifetime: HoldLifetime,
    readonly waited: number,
    readonly acquiredAt?: string | undefined,
  ) {
    this.seat = lifetime === 'manual' ? new WeakSeat<GrantedHold>(this, acquiredAt) : this;
  }

  /** Its own seat, if it ends with a callback. */
  get occupant(): this {
    return this;
  }

  get name(): string {
    return this.grant.name;
  }

  get owner(): string {
    return shownOwner(this.grant.owner);
  }

  get fence(): bigint | undefined {
    return this.grant.fence;
  }

  get slot(): number | undefined {
    return this.grant.acquired.slot;
  }

  /** The hold that it has become by upgrades and downgrades; itself, without any. */
  get latest(): GrantedHold {
    return this.successor?.latest ?? this;
  }

  get isReleased(): boolean {
    return this.releasing !== undefined || this.endedAs !== undefined;
  }

  get isHeld(): boolean {
    return this.remaining > 0;
  }

  get state(): Hold['state'] {
    const { grant } = this;
    if (this.isReleased) return 'released';
    if (grant.lease.remaining === 0) return 'lost';
    const isSuspended = !this.isHeld || (this.seat.term.isWatched && isRenewalMissing(grant));
    return isSuspended ? 'suspended' : 'held';
  }

  get remaining(): number {
    if (this.isReleased) return 0;
    const { remaining } = this.grant.lease;
    return this.passing ? Math.max(0, Math.min(remaining, this.passing.remaining)) : remaining;
  }

  get signal(): AbortSignal {
    // Code may keep nothing but the signal, and will have to be told.
    if (this.seat instanceof WeakSeat) {
      this.seat.keep(this);
      this.grant.runtime.grants.ignoreCollected(this);
    }
    return this.grant.signal;
  }

  assertHeld(): void {
    if (this.isReleased) {
      throw new LockLostError(`Lock "${this.name}" was already released; this hold of ${this.owner} has ended`, {
        lockName: this.name,
      });
    }
    if (this.passing && this.passing.remaining <= 0) throw mayHaveEnded(this);
    this.grant.assertHeld();
  }

  async extend(lease: Parameters<Hold['extend']>[0]): Promise<void> {
    const { kind, runtime } = this.grant;
    const terms = parseExtension(lease, runtime.defaults);
    if (kind.owner !== undefined && typeof terms !== 'number')
      throw contradiction('owner', 'extend with renew: true', 'a lock of an owner is not renewed');
    this.assertHeld();
    await this.grant.extend(this, terms);
  }

  release(): Promise<HoldRelease> {
    return this.end('leave');
  }

  abandon(): void {
    void this.end('abandon');
  }

  /** While the hold is upgraded, downgraded or detached, ends what comes of that. */
  private end(how: 'leave' | 'abandon'): Promise<HoldRelease> {
    this.releasing ??= this.converting ? this.converting.then(() => this.endNow(how)) : this.endNow(how);
    return this.releasing;
  }

  private endNow(how: 'leave' | 'abandon'): Promise<HoldRelease> {
    if (this.endedAs) return Promise.resolve(this.endedAs);
    return this.successor?.end(how) ?? this.grant[how](this);
  }

  async tryUpgrade(options?: UpgradeOptions): Promise<GrantedHold | null> {
    const converted = this.toBeConverted('tryUpgrade', options);
    return (await this.whileConverting(upgradeGrant(converted))) ? this.latest : null;
  }

  async downgrade(options?: UpgradeOptions): Promise<GrantedHold> {
    const converted = this.toBeConverted('downgrade', options);
    await this.whileConverting(downgradeGrant(converted));
    return this.latest;
  }

  private toBeConverted(how: ConversionName, options: UpgradeOptions | undefined): ConvertedHold {
    const { grant } = this;
    const { kind, runtime } = grant;
    const lease = parseUpgrade(options, how);
    checkLease(lease, runtime.defaults);
    const { converting } = kind;
    if (!converting || kind.family !== (how === 'tryUpgrade' ? 'read' : 'write'))
      throw cannotBeConverted(this.name, how);
    this.assertHeld();
    const goOn = (next: Grant): GrantedHold => {
      this.releasing ??= Promise.resolve('still-held');
      this.successor = new GrantedHold(next, this.lifetime, 0, this.acquiredAt);
      return this.successor;
    };
    const onSent = (command: LeaseCommand): void => void (this.passing = command);
    return { hold: this, grant, converting, lease, onSent, goOn };
  }

  private async whileConverting<T>(conversion: Promise<T>): Promise<T> {
    const over = Promise.allSettled([conversion]);
    this.converting = over;
    try {
      return await conversion;
    } finally {
      if (this.converting === over) {
        this.converting = undefined;
        this.passing = undefined;
      }
    }
  }

  async detach(options?: DetachOptions): Promise<HoldToken> {
    const { grant, name } = this;
    const { runtime, fence } = grant;
    const { detaching } = grant.kind;
    const lease = parseDetach(options, 'detach') ?? runtime.watchdog.timeout;
    checkLease(lease, runtime.defaults);
    if (!detaching) throw cannotBeDetached(name, grant.kind.owner);
    this.assertHeld();
    if (this.lifetime === 'scoped' || !grant.hasOneHold) throw notAlone(this);
    const { connection, kind, operations } = detaching;
    const secret = newSecret();
    const passOn = (from: OwnerId) => operations.detach({ kind, name, from, to: ownerOfSecret(secret), lease });
    const onSent = (command: LeaseCommand): void => void (this.passing = command);
    const onEnded = (release: HoldRelease): void => void (this.endedAs = release);
    await this.whileConverting(detachGrant({ hold: this, grant, passOn, onSent, onEnded }));
    return tokenOf({ connection, kind, name, secret, fence });
  }

  /** Releases. A failure is emitted as an event, so that the result of the protected work is never replaced. */
  releaseQuietly(): Promise<void> {
    return this.release().then(
      () => {},
      (error: unknown) => {
        const { grant } = this;
        grant.runtime.events.emit({ type: 'release-failed', ...eventFieldsOf(grant), error });
      },
    );
  }

  run<T>(fn: () => T): T {
    return runUnderHold(this, fn);
  }

  /** Restarts a lease if most of it passed while the holder waited for something else. */
  async refresh(lease: LeaseTerms): Promise<void> {
    if (typeof lease === 'number' && this.grant.lease.remaining < lease / 2) await this.extend(lease);
  }

  /** Starts the intended lease of a hold that the watchdog has renewed so far. */
  async limit(lease: number): Promise<void> {
    this.assertHeld();
    await this.grant.limit(this, lease);
  }

  /** @internal */
  holdAtLeast(ms: number): void {
    this.grant.holds.holdAtLeast(ms);
  }

  toJSON(): HoldSummary {
    const { name, owner, waited, isHeld } = this;
    return { name, owner, waited, isHeld };
  }

  [inspect.custom](): string {
    return `Hold ${inspect(this.toJSON())}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.releaseQuietly();
  }
}
