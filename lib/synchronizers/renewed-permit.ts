import type { LockBackend } from '../backend/lock-backend.js';
import type { PermitId } from '../context/permit-ids.js';
import { isPassing } from '../errors.js';
import type { OfHold } from '../events/lock-notices.js';
import type { LockEvents } from '../events/lock-events.js';
import { HoldAgeCheck } from '../holds/hold-age-check.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';
import type { Lease, LossReason } from '../watchdog/lease.js';
import type { ScheduleEntry } from '../watchdog/renewal-schedule.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { Watched } from '../watchdog/watched.js';
import type { OfLock } from '../events/life-cycle-events.js';

/** The fields of an event that say which permit-expirable semaphore it is about. */
export const permitsOf = ({ connection }: { readonly connection: string }, name: string): OfLock => ({
  connection,
  kind: 'permitExpirableSemaphore',
  lockName: name,
  template: undefined,
  method: undefined,
});

/** The services by which permits are renewed. */
export interface RenewalServices {
  readonly operations: LockBackend['permitExpirableSemaphore'];
  readonly scheduler: MonotonicScheduler;
  readonly watchdog: Watchdog;
  readonly events: LockEvents;
  /** The name of the connection. */
  readonly connection: string;
  readonly defaults: Pick<AcquireDefaults, 'maxHold'>;
}

/** A permit that is renewed. */
export interface Renewable {
  readonly name: string;
  readonly id: PermitId;
  readonly lease: Lease;
  readonly loss: LossReason | undefined;
  /** Whether a release or a change of its lease is in flight. */
  readonly isBusy: boolean;
}

/** A permit as the watchdog sees it: renewed until it is released, lost, given a lease of its own, or at `maxHold`. */
export class RenewedPermit implements Watched {
  scheduleEntry: ScheduleEntry<Watched> | undefined = undefined;
  readonly method = undefined;
  readonly isRenewed = true;
  readonly operations: LockBackend['permitExpirableSemaphore'];
  /** For the check of its age. */
  readonly isWatched = true;
  private readonly since: number;
  private readonly ageCheck: HoldAgeCheck;

  constructor(
    private readonly services: RenewalServices,
    private readonly permit: Renewable,
    /** Milliseconds that each renewal grants. */
    readonly renewedLease: number,
    private readonly acquiredAt: string | undefined,
  ) {
    const { operations, scheduler } = services;
    this.operations = operations;
    this.since = scheduler.now();
    this.ageCheck = new HoldAgeCheck(this);
  }

  get name(): string {
    return this.permit.name;
  }

  get owner(): PermitId {
    return this.permit.id;
  }

  get lease(): Lease {
    return this.permit.lease;
  }

  get loss(): LossReason | undefined {
    return this.permit.loss;
  }

  get isBusy(): boolean {
    return this.permit.isBusy;
  }

  /** Milliseconds since the grant. */
  get age(): number {
    return this.services.scheduler.now() - this.since;
  }

  get heldFor(): number {
    return Math.round(this.age);
  }

  /** The longest time for which it is renewed, ms; may be `Infinity`. */
  get limit(): number {
    return this.services.defaults.maxHold;
  }

  /** Milliseconds until `maxHold`; `Infinity`: there is none. */
  get left(): number {
    return this.limit - this.age;
  }

  get neededLease(): number {
    return Math.ceil(Math.max(1, Math.min(this.renewedLease, this.left)));
  }

  get isEnding(): boolean {
    return this.left <= this.renewedLease;
  }

  get eventFields(): OfHold {
    return { ...permitsOf(this.services, this.name), owner: this.owner, heldFor: this.heldFor };
  }

  /** Whether the watchdog has stopped renewing because of `maxHold`. */
  get isOver(): boolean {
    return this.ageCheck.isOver;
  }

  begin(): void {
    if (this.isEnding) this.lease.doubt();
    this.services.watchdog.watch(this);
  }

  end(): void {
    this.services.watchdog.unwatch(this);
  }

  /** Called when nobody can release the permit any more. */
  forget(): void {
    this.services.events.emit({ type: 'forgotten', ...this.eventFields, acquiredAt: this.acquiredAt });
    this.end();
  }

  /** Resolves when no renewal is in flight. */
  whenRenewed(): Promise<void> {
    return this.services.watchdog.whenRenewed(this);
  }

  onRenewed(lease: number): void {
    const { events } = this.services;
    if (events.hears('renewed')) events.emit({ type: 'renewed', ...this.eventFields, lease });
  }

  async verify(): Promise<void> {
    if (this.isBusy) return;
    try {
      const left = await this.operations.lease(this.name, this.owner);
      // A permit that is being released meanwhile has not been lost.
      if (left === undefined && !this.isBusy) this.lease.lose('gone');
    } catch (error) {
      if (!isPassing(error)) this.services.events.emit({ type: 'unexpected', error });
    }
  }

  checkAge(): void {
    const { events, defaults } = this.services;
    const type = this.ageCheck.check();
    if (type === 'long-hold') events.emit({ type, ...this.eventFields });
    else if (type) events.emit({ type, ...this.eventFields, maxHold: defaults.maxHold });
  }
}
