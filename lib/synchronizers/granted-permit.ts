import { inspect } from 'node:util';
import type { PermitLeaseOutcome } from '../backend/kinds/permits/permit-scripts.js';
import type { LockBackend } from '../backend/lock-backend.js';
import { AsyncMutex } from '../concurrency.js';
import type { PermitId } from '../context/permit-ids.js';
import { isPassing, LockLostError } from '../errors.js';
import { endHold } from '../events/hold-tracing.js';
import type { OfLock } from '../events/life-cycle-events.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OfHold } from '../events/lock-notices.js';
import { HoldAgeCheck } from '../holds/hold-age-check.js';
import { LazyAbortController, lossRemedy } from '../holds/loss.js';
import { type MonotonicScheduler, Stopwatch } from '../time/scheduler.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';
import { Lease, LeaseCommand, type LeaseHolder, type LossReason } from '../watchdog/lease.js';
import type { ScheduleEntry, Watched } from '../watchdog/renewal-schedules.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { Permit } from './permit.js';

const REASONS: Readonly<Record<LossReason, string>> = {
  'lease-over': 'its lease ended before it was released',
  'held-too-long': 'it was held for longer than maxHold, and the watchdog stopped renewing it',
  gone: 'the server no longer has it, because its lease ended or the semaphore was deleted',
};

/** Called with the reason why a permit is lost, and how to prevent that. */
type LossListener = (reason: string, remedy: string) => void;

/** How to prevent the loss of a permit that is not renewed. */
export const REMEDY =
  'give the permit a longer lease or none, or let it be renewed, and check for code that releases it or deletes the semaphore';

/** Why a permit was lost, and how to prevent that. */
const permitLoss = (reason: LossReason, isRenewed: boolean): Parameters<LossListener> => [
  REASONS[reason],
  isRenewed ? lossRemedy(reason, true) : REMEDY,
];

const lostPermit = (name: string, permit: string, reason: LossReason | undefined): LockLostError =>
  new LockLostError(
    `Permit ${permit} of semaphore "${name}" is lost: ${REASONS[reason ?? 'lease-over']}; stop, another caller may have it`,
    { lockName: name, details: { permit, reason } },
  );

/** The fields of an event that say which permit-expirable semaphore it is about. */
export const permitsOf = ({ connection }: { readonly connection: string }, name: string): OfLock => ({
  connection,
  kind: 'permitExpirableSemaphore',
  lockName: name,
  template: undefined,
  method: undefined,
});

/** The services that a granted permit needs. */
export interface PermitGrantServices {
  readonly backend: LockBackend;
  readonly scheduler: MonotonicScheduler;
  readonly watchdog: Watchdog;
  readonly events: LockEvents;
  /** The name of the connection. */
  readonly connection: string;
  readonly defaults: AcquireDefaults;
}

/** How the watchdog renews a permit. */
interface PermitRenewal {
  /** Milliseconds that each renewal grants. */
  readonly lease: number;
  /** The line of code that acquired the permit. */
  readonly acquiredAt: string | undefined;
}

/** A permit as granted by the server. */
interface PermitGrant {
  /** The semaphore's name. */
  readonly name: string;
  readonly id: PermitId;
  /** Started just before the command was sent. */
  readonly sent: Stopwatch;
  /** Milliseconds; `Infinity`: until it is released. */
  readonly lease: number;
}

/** Releases permits; implemented by the semaphore that granted them. */
export interface PermitKeeper {
  /** Resolves with true if the permit was held on the server. */
  release(permit: GrantedPermit): Promise<boolean>;
  /** Releases; failures are emitted as events. */
  releaseQuietly(permit: GrantedPermit): Promise<void>;
}

/** Keeps a permit alive as long as its signal is referenced, so that the signal can still abort. */
const permitsBySignal = new WeakMap<AbortSignal, GrantedPermit>();

/**
 * A permit granted in this process: held → releasing → released; or lost. One that is renewed is until it is released,
 * lost, given a lease of its own, or at `maxHold`. Has a timer only if a listener needs it.
 */
export class GrantedPermit implements Permit, LeaseHolder, Watched {
  readonly id: PermitId;
  readonly name: string;
  readonly lease: Lease;
  readonly method = undefined;
  scheduleEntry: ScheduleEntry<Watched> | undefined = undefined;
  /** Started just before the command was sent. */
  private readonly sent: Stopwatch;
  private renewal: PermitRenewal | undefined = undefined;
  private ageCheck: HoldAgeCheck | undefined = undefined;
  /** Changes of the lease that are in flight. */
  private changing = 0;
  private readonly stopSignal = new LazyAbortController();
  /** Serializes lease changes: the reply to an older one must not lengthen what a newer one has shortened. */
  private readonly changes = new AsyncMutex();
  private releasing: Promise<'released' | 'expired'> | undefined;
  private isLetGo = false;
  /** Whether anybody is told of a loss as soon as it happens. */
  private isObserved = false;
  private lossReason: LossReason | undefined = undefined;
  private whenLost: LossListener | undefined = undefined;
  /** The object that the acquirer has, set once it may know the permit by something else. */
  handle: Permit | undefined;

  constructor(
    private readonly runtime: PermitGrantServices,
    { name, id, sent, lease }: PermitGrant,
    private readonly keeper: PermitKeeper,
  ) {
    this.id = id;
    this.name = name;
    this.sent = sent;
    this.lease = new Lease(runtime.scheduler, sent, lease, this);
  }

  get owner(): PermitId {
    return this.id;
  }

  get operations(): LockBackend['permitExpirableSemaphore'] {
    return this.runtime.backend.permitExpirableSemaphore;
  }

  get eventFields(): OfHold {
    return { ...permitsOf(this.runtime, this.name), owner: this.id, heldFor: this.heldFor };
  }

  /** Milliseconds since the grant. */
  get age(): number {
    return this.sent.elapsed;
  }

  get heldFor(): number {
    return Math.round(this.age);
  }

  get isReleased(): boolean {
    return this.isLetGo;
  }

  get isHeld(): boolean {
    return this.remaining > 0;
  }

  /** Why the permit has ended before it was released; `undefined`: it has not, as far as is known. */
  get loss(): LossReason | undefined {
    return this.lossReason;
  }

  get isBusy(): boolean {
    return this.isLetGo || this.changing > 0;
  }

  get remaining(): number {
    return this.isLetGo ? 0 : this.lease.remaining;
  }

  get signal(): AbortSignal {
    const { signal } = this.stopSignal;
    permitsBySignal.set(signal, this);
    this.observe();
    return signal;
  }

  assertHeld(): void {
    if (this.isLetGo) {
      throw new LockLostError(`Permit ${this.id} of semaphore "${this.name}" was already released`, {
        lockName: this.name,
        details: { permit: this.id },
      });
    }
    if (!this.lease.isAlive) throw this.lossError();
  }

  release(): Promise<'released' | 'expired'> {
    this.releasing ??= this.keeper.release(this).then((wasOut) => (wasOut ? 'released' : 'expired'));
    return this.releasing;
  }

  /** Calls `listener` once when the permit is lost. */
  onLoss(listener: LossListener): void {
    this.whenLost = listener;
    this.observe();
  }

  /** Lets the watchdog renew the permit from now on. */
  renewBy(renewal: PermitRenewal): void {
    this.renewal = renewal;
    this.ageCheck = new HoldAgeCheck(this);
    this.beginRenewing();
  }

  get isRenewed(): boolean {
    return this.renewal !== undefined;
  }

  /** For the check of its age. */
  get isWatched(): boolean {
    return this.isRenewed;
  }

  get renewedLease(): number {
    return this.renewal?.lease ?? 0;
  }

  /** The longest time for which it is renewed, ms; may be `Infinity`. */
  get limit(): number {
    return this.runtime.defaults.maxHold;
  }

  /** Milliseconds until `maxHold`; `Infinity`: there is none. */
  get left(): number {
    return this.limit - this.age;
  }

  get neededLease(): number {
    return Math.ceil(Math.max(1, Math.min(this.renewedLease, this.left)));
  }

  get keptFor(): number {
    return this.isRenewed ? Math.max(0, this.left) : 0;
  }

  get isEnding(): boolean {
    return this.left <= this.renewedLease;
  }

  private beginRenewing(): void {
    if (this.isEnding) this.lease.letExpire();
    this.runtime.watchdog.watch(this);
  }

  onRenewed(lease: number): void {
    const { events } = this.runtime;
    if (events.hears('renewed')) events.emit({ type: 'renewed', ...this.eventFields, lease });
  }

  async verify(): Promise<void> {
    if (this.isBusy) return;
    try {
      const left = await this.operations.lease(this.name, this.id);
      // A permit that is being released meanwhile has not been lost.
      if (left === undefined && !this.isBusy) this.lease.lose('gone');
    } catch (error) {
      if (!isPassing(error)) this.runtime.events.emit({ type: 'unexpected', error });
    }
  }

  checkAge(): void {
    const { events } = this.runtime;
    const type = this.ageCheck?.check();
    if (type === 'long-hold') events.emit({ type, ...this.eventFields });
    else if (type) events.emit({ type, ...this.eventFields, maxHold: this.limit });
  }

  /** Called when nobody can release the permit any more. Returns whether it was renewed until now. */
  forget(): boolean {
    const { renewal } = this;
    if (this.isLetGo || !renewal || !this.scheduleEntry) return false;
    this.runtime.events.emit({ type: 'forgotten', ...this.eventFields, acquiredAt: renewal.acquiredAt });
    this.endRenewing();
    return true;
  }

  /** The watchdog renews the permit no longer. */
  private endRenewing(): void {
    this.runtime.watchdog.unwatch(this);
    this.renewal = undefined;
  }

  /** Aborts the holder's signal. */
  abort(reason: Error): void {
    this.stopSignal.abort(reason);
  }

  /**
   * Sets the lease to `lease` ms from now, shorter or longer than before. The watchdog renews the permit no longer.
   * @param ask Sends the command. If it fails, the command takes no effect later.
   */
  async changeLease(lease: number, ask: () => Promise<PermitLeaseOutcome>): Promise<PermitLeaseOutcome> {
    this.changing += 1;
    try {
      // The watchdog sends no further renewal meanwhile.
      await this.runtime.watchdog.whenRenewed(this);
      const reply = await this.sendLease(lease, ask);
      this.endRenewing();
      if (this.isObserved) this.setTimer();
      return reply;
    } finally {
      this.changing -= 1;
    }
  }

  private sendLease(lease: number, ask: () => Promise<PermitLeaseOutcome>): Promise<PermitLeaseOutcome> {
    return this.changes.run(async () => {
      const command = new LeaseCommand(new Stopwatch(this.runtime.scheduler), lease);
      this.lease.request(command);
      const reply = await ask().catch((error: unknown) => {
        this.lease.unanswered(command);
        throw error;
      });
      if (reply.outcome === 'held') this.lease.granted(command, reply.sent);
      else this.lease.lose('gone');
      return reply;
    });
  }

  /** Marks the permit as being released: it must no longer be used. */
  letGo(): void {
    this.isLetGo = true;
    this.runtime.watchdog.unwatch(this);
  }

  /** Undoes {@link letGo}: the release changed nothing, and the permit is held as before. */
  takeBack(): void {
    this.isLetGo = false;
    if (this.lossReason !== undefined) this.tellLoss();
    else if (this.isRenewed) this.beginRenewing();
  }

  /** Ends the local lease: the permit was released, or its release continues in the background. */
  end(): void {
    this.lease.end();
  }

  /** Records that the server no longer has the permit. */
  gone(): void {
    this.lease.lose('gone');
  }

  /** Called by its lease. */
  onLost(reason: LossReason): void {
    this.lossReason = reason === 'lease-over' && this.ageCheck?.isOver ? 'held-too-long' : reason;
    this.runtime.watchdog.unwatch(this);
    if (!this.isLetGo) this.tellLoss();
  }

  toString(): string {
    return this.id;
  }

  toJSON(): string {
    return this.id;
  }

  [inspect.custom](): string {
    const { id, name, isHeld, remaining } = this;
    return `Permit ${inspect({ id, name, isHeld, remaining: Math.floor(remaining) })}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keeper.releaseQuietly(this);
  }

  private observe(): void {
    this.isObserved = true;
    this.setTimer();
  }

  private setTimer(): void {
    // Of a permit that is renewed, the watchdog knows whether a timer is needed.
    if (this.isLetGo || this.isRenewed || this.lossReason !== undefined) return;
    if (Number.isFinite(this.lease.remaining)) this.lease.letExpire();
    else this.lease.trust();
  }

  private tellLoss(): void {
    const error = this.lossError();
    this.whenLost?.(...permitLoss(this.lossReason ?? 'lease-over', this.isRenewed));
    endHold(this, error);
    this.stopSignal.abort(error);
  }

  private lossError(): LockLostError {
    const { reason } = this.stopSignal;
    return reason instanceof LockLostError ? reason : lostPermit(this.name, this.id, this.lossReason);
  }
}

/**
 * Permits granted in this process that are still referenced, so that a release or a new lease by id reaches the object.
 * Held weakly: other processes may release them, and this map must not keep those in memory.
 */
export class PermitsOut {
  private readonly byId = new Map<PermitId, WeakRef<GrantedPermit>>();
  private readonly collected = new FinalizationRegistry<PermitId>((id) => this.byId.delete(id));

  add(permit: GrantedPermit): void {
    this.byId.set(permit.id, new WeakRef(permit));
    this.collected.register(permit, permit.id, permit);
  }

  find(name: string, id: PermitId): GrantedPermit | undefined {
    const permit = this.byId.get(id)?.deref();
    return permit?.name === name ? permit : undefined;
  }

  has(id: PermitId): boolean {
    return this.byId.get(id)?.deref() !== undefined;
  }

  delete(permit: GrantedPermit): void {
    this.byId.delete(permit.id);
    this.collected.unregister(permit);
  }

  get size(): number {
    return this.byId.size;
  }

  *[Symbol.iterator](): Generator<GrantedPermit> {
    for (const reference of this.byId.values()) {
      const permit = reference.deref();
      if (permit) yield permit;
    }
  }
}
