import { inspect } from 'node:util';
import type { PermitLeaseOutcome } from '../backend/permit-operations.js';
import { LockLostError } from '../errors.js';
import type { PermitId } from '../context/permit-ids.js';
import { AsyncMutex } from '../concurrency/async-mutex.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';
import { Lease, LeaseCommand, type LeaseHolder, type LossReason } from '../watchdog/lease.js';
import { LazyAbortController } from '../holds/lazy-abort-controller.js';
import type { Permit } from './permit.js';

const REASONS: Readonly<Record<LossReason, string>> = {
  'lease-over': 'its lease ended before it was released',
  'held-too-long': 'its lease ended before it was released',
  gone: 'the server no longer has it, because its lease ended or the semaphore was deleted',
};

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
export class GrantedPermit implements Permit, LeaseHolder {
  readonly id: PermitId;
  readonly name: string;
  private readonly lease: Lease;
  private readonly stopSignal = new LazyAbortController();
  /** Serializes lease changes: the reply to an older one must not lengthen what a newer one has shortened. */
  private readonly changes = new AsyncMutex();
  private releasing: Promise<'released' | 'expired'> | undefined;
  private isLetGo = false;
  private isWatched = false;
  private loss: LossReason | undefined;
  private whenLost: ((reason: string) => void) | undefined;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    { name, id, sent, lease }: PermitGrant,
    private readonly keeper: PermitKeeper,
  ) {
    this.id = id;
    this.name = name;
    this.lease = new Lease(scheduler, sent, lease, this);
  }

  get isHeld(): boolean {
    return !this.isLetGo;
  }

  /** Whether the permit is known to have ended before it was released. */
  get isLost(): boolean {
    return this.loss !== undefined;
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

  /** Calls `listener` once, with the reason as text, when the permit is lost. */
  onLoss(listener: (reason: string) => void): void {
    this.whenLost = listener;
    this.watch();
  }

  /** Aborts the holder's signal. */
  abort(reason: Error): void {
    this.stopSignal.abort(reason);
  }

  /**
   * Sets the lease to `lease` ms from now, shorter or longer than before.
   * @param ask Sends the command. If it fails, the command takes no effect later.
   */
  changeLease(lease: number, ask: () => Promise<PermitLeaseOutcome>): Promise<PermitLeaseOutcome> {
    return this.changes.run(async () => {
      const command = new LeaseCommand(new Stopwatch(this.scheduler), lease);
      this.lease.request(command);
      const reply = await ask().catch((error: unknown) => {
        this.lease.unanswered(command);
        throw error;
      });
      if (reply.outcome === 'held') this.lease.granted(command, reply.sent);
      else this.lease.lose('gone');
      if (this.isWatched) this.setTimer();
      return reply;
    });
  }

  /** Marks the permit as being released: it must no longer be used. */
  letGo(): void {
    this.isLetGo = true;
  }

  /** Undoes {@link letGo}: the release changed nothing, and the permit is held as before. */
  takeBack(): void {
    this.isLetGo = false;
    if (this.loss !== undefined) this.tellLoss();
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
    this.loss = reason;
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
    if (this.isLetGo || this.loss !== undefined) return;
    if (Number.isFinite(this.lease.remaining)) this.lease.doubt();
    else this.lease.trust();
  }

  private tellLoss(): void {
    const error = this.lossError();
    this.whenLost?.(this.lossText);
    this.stopSignal.abort(error);
  }

  private get lossText(): string {
    return REASONS[this.loss ?? 'lease-over'];
  }

  private lossError(): LockLostError {
    const { reason } = this.stopSignal;
    if (reason instanceof LockLostError) return reason;
    return new LockLostError(
      `Permit ${this.id} of semaphore "${this.name}" is lost: ${this.lossText}; stop, another caller may have it`,
      { lockName: this.name, details: { permit: this.id, reason: this.loss } },
    );
  }
}
