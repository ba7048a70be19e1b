import { inspect } from 'node:util';
import { endHold } from '../events/hold-tracing.js';
import type { PermitLeaseOutcome } from '../backend/permit-operations.js';
import { LockLostError } from '../errors.js';
import type { PermitId } from '../context/permit-ids.js';
import { AsyncMutex } from '../concurrency/async-mutex.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';
import { Lease, LeaseCommand, type LeaseHolder, type LossReason } from '../watchdog/lease.js';
import { LazyAbortController } from '../holds/lazy-abort-controller.js';
import type { Permit } from './permit.js';
import { type LossListener, lostPermit, permitLoss } from './permit-loss.js';
import { type Renewable, type RenewalServices, RenewedPermit } from './renewed-permit.js';

/** A permit as granted by the server. */
export interface PermitGrant {
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

/** A permit granted in this process: held → releasing → released; or lost. Has a timer only if a listener needs it. */
export class GrantedPermit implements Permit, LeaseHolder, Renewable {
  readonly id: PermitId;
  readonly name: string;
  readonly lease: Lease;
  /** Started just before the command was sent. */
  readonly sent: Stopwatch;
  private renewal: RenewedPermit | undefined;
  /** Changes of the lease that are in flight. */
  private changing = 0;
  private readonly stopSignal = new LazyAbortController();
  /** Serializes lease changes: the reply to an older one must not lengthen what a newer one has shortened. */
  private readonly changes = new AsyncMutex();
  private releasing: Promise<'released' | 'expired'> | undefined;
  private isLetGo = false;
  private isWatched = false;
  private lossReason: LossReason | undefined;
  private whenLost: LossListener | undefined;
  /** The object that the acquirer has, set once it may know the permit by something else. */
  handle: Permit | undefined;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    { name, id, sent, lease }: PermitGrant,
    private readonly keeper: PermitKeeper,
  ) {
    this.id = id;
    this.name = name;
    this.sent = sent;
    this.lease = new Lease(scheduler, sent, lease, this);
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
    this.watch();
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
    this.watch();
  }

  /** Lets the watchdog renew the permit from now on, each time for `lease` ms. */
  renewBy(services: RenewalServices, lease: number, acquiredAt: string | undefined): void {
    this.renewal = new RenewedPermit(services, this, lease, acquiredAt);
    this.renewal.begin();
  }

  get isRenewed(): boolean {
    return this.renewal !== undefined;
  }

  /** Called when nobody can release the permit any more. Returns whether it was renewed until now. */
  forget(): boolean {
    const { renewal } = this;
    if (this.isLetGo || !renewal?.scheduleEntry) return false;
    renewal.forget();
    this.renewal = undefined;
    return true;
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
      await this.renewal?.whenRenewed();
      const reply = await this.sendLease(lease, ask);
      this.renewal?.end();
      this.renewal = undefined;
      if (this.isWatched) this.setTimer();
      return reply;
    } finally {
      this.changing -= 1;
    }
  }

  private sendLease(lease: number, ask: () => Promise<PermitLeaseOutcome>): Promise<PermitLeaseOutcome> {
    return this.changes.run(async () => {
      const command = new LeaseCommand(new Stopwatch(this.scheduler), lease);
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
    this.renewal?.end();
  }

  /** Undoes {@link letGo}: the release changed nothing, and the permit is held as before. */
  takeBack(): void {
    this.isLetGo = false;
    if (this.lossReason === undefined) this.renewal?.begin();
    else this.tellLoss();
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
    const { renewal } = this;
    this.lossReason = reason === 'lease-over' && renewal?.isOver ? 'held-too-long' : reason;
    renewal?.end();
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

  private watch(): void {
    this.isWatched = true;
    this.setTimer();
  }

  private setTimer(): void {
    // Of a permit that is renewed, the watchdog knows whether a timer is needed.
    if (this.isLetGo || this.renewal || this.lossReason !== undefined) return;
    if (Number.isFinite(this.lease.remaining)) this.lease.doubt();
    else this.lease.trust();
  }

  private tellLoss(): void {
    const error = this.lossError();
    this.whenLost?.(...permitLoss(this.lossReason ?? 'lease-over', this.renewal !== undefined));
    endHold(this, error);
    this.stopSignal.abort(error);
  }

  private lossError(): LockLostError {
    const { reason } = this.stopSignal;
    return reason instanceof LockLostError ? reason : lostPermit(this.name, this.id, this.lossReason);
  }
}
