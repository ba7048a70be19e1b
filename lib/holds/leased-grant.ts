import type { LockEvents } from '../events/lock-events.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';
import type { GrantRegistry } from './grant-registry.js';
import { ListNode } from '../collections/linked-list.js';
import { isPassing, LockLostError, LockKeyTypeError } from '../errors.js';
import type { OwnerId } from '../context/owner-ids.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { Lease, LeaseCommand, type LeaseHolder } from '../watchdog/lease.js';
import type { ScheduleEntry } from '../watchdog/renewal-schedule.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { Watched } from '../watchdog/watched.js';
import { afterCommand, afterLoss, GRANTED, type GrantLoss, type GrantState, isHeld } from './grant-state.js';
import { GrantHolds, type HoldTerm } from './grant-holds.js';
import type { GrantEventFields, GrantOrigin } from './observed/hold-events.js';
import { eventFieldsOf, tellAge, tellLoss, tellRenewal } from './observed/hold-events.js';
import { HoldAgeCheck } from './hold-age-check.js';
import { LazyAbortController } from './lazy-abort-controller.js';
import type { LockKind } from './lock-kind.js';
import { lossError, lossTexts } from './loss-error.js';

/** Services shared by the grants of one connection. */
export interface GrantServices {
  readonly scheduler: MonotonicScheduler;
  readonly watchdog: Watchdog;
  /** The name of the connection. */
  readonly connection: string;
  readonly events: LockEvents;
  readonly defaults: AcquireDefaults;
  readonly grants: GrantRegistry<LeasedGrant>;
}

/**
 * The server's grant to one owner, and the lease over it: how it is kept by commands and by the watchdog, and how
 * its loss is noticed. {@link Grant} adds how holds enter and leave.
 */
export abstract class LeasedGrant extends ListNode<LeasedGrant> implements LeaseHolder, Watched {
  readonly owner: OwnerId;
  readonly lease: Lease;
  scheduleEntry: ScheduleEntry<Watched> | undefined = undefined;
  /** Fencing token, if this kind of lock has them: higher than that of any earlier grant. */
  readonly fence: bigint | undefined;
  /** The holds that the server is to count. */
  readonly holds: GrantHolds;
  protected state: GrantState = GRANTED;
  private abortController = new LazyAbortController();
  /** Created in the first round of the watchdog: most grants end before it (docs/architecture.md#hot-path). */
  private ageCheck: HoldAgeCheck | undefined = undefined;
  /** The inspection in flight. */
  private inspecting: Promise<void> | undefined = undefined;

  constructor(
    readonly runtime: GrantServices,
    readonly kind: LockKind,
    readonly name: string,
    protected acquired: Acquired,
    readonly origin: GrantOrigin | undefined,
  ) {
    super();
    this.owner = acquired.owner;
    this.fence = acquired.fence;
    const { scheduler, watchdog, defaults } = runtime;
    this.holds = new GrantHolds(acquired.sent, watchdog.timeout, defaults.maxHold);
    this.lease = new Lease(scheduler, acquired.sent, acquired.lease, this);
    runtime.grants.add(this);
  }

  /** Whether a hold remains after all pending releases, so that others may join it. */
  abstract get isJoinable(): boolean;

  abstract get isBusy(): boolean;

  get method(): string | undefined {
    return this.origin?.method;
  }

  get operations(): LockKind['operations'] {
    return this.kind.operations;
  }

  get neededLease(): number {
    return this.holds.needed();
  }

  get renewedLease(): number {
    return this.holds.renewedLease;
  }

  get isEnding(): boolean {
    return !this.holds.isWatched || this.holds.left <= this.renewedLease;
  }

  get isRenewed(): boolean {
    return this.holds.isWatched || (this.kind.renewsLeases ?? false);
  }

  /** Whether the lease is over, by loss or by release. */
  get isLost(): boolean {
    return !this.lease.isAlive;
  }

  /** Why it was lost; `undefined`: it was not. */
  get loss(): GrantLoss | undefined {
    return this.state.loss;
  }

  get heldFor(): number {
    return Math.round(this.holds.age);
  }

  get eventFields(): GrantEventFields {
    return eventFieldsOf(this);
  }

  /** Aborts with `LockLostError` before the lease can end on the server, or with the reason of a shutdown. */
  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  /** Signals the holder to stop although nothing is lost yet. */
  abort(reason: Error): void {
    this.abortController.abort(reason);
  }

  /** Takes over the signal of the grant that this one continues, so that code which has it stops as well. */
  takeSignalOf(before: LeasedGrant): void {
    this.abortController = before.abortController;
  }

  /** @throws LockLostError by the local clock, even if no timer or reply has reported the loss yet. */
  assertHeld(): void {
    if (!this.lease.isAlive) throw this.lossError();
  }

  /**
   * Asks the server whether it still has the lock; if not, the grant is lost. A missing reply changes nothing. For
   * times when no other command would ask the server.
   */
  async verify(): Promise<void> {
    if (this.inspecting || this.isBusy || !isHeld(this.state)) return;
    this.inspecting = this.inspect();
    await this.inspecting;
  }

  private async inspect(): Promise<void> {
    try {
      // An owner that released it meanwhile has lost nothing. An owner that the server dropped never comes back.
      if ((await this.isGone()) && this.isJoinable) this.lease.lose('gone');
    } finally {
      this.inspecting = undefined;
    }
  }

  /** Resolves when no inspection nor renewal is in flight. None begins while the grant is busy. */
  protected async inspected(): Promise<void> {
    await Promise.all([this.inspecting, this.runtime.watchdog.whenRenewed(this)]);
  }

  /** Called by the watchdog in every round. */
  checkAge(): void {
    if (this.loss) return;
    this.ageCheck ??= new HoldAgeCheck(this.holds);
    const type = this.ageCheck.check();
    if (type) tellAge(this, type, this.holds.limit);
  }

  onRenewed(lease: number): void {
    this.runtime.grants.renewed(this);
    tellRenewal(this, lease);
  }

  /** Called when the deadline of the lease has passed, or when the server no longer has the lock. */
  onLost(how: GrantLoss): void {
    const { state, runtime, kind, holds } = this;
    if (state.loss) return;
    const reason = how === 'lease-over' && this.ageCheck?.isOver ? 'held-too-long' : how;
    this.state = afterLoss(state, reason);
    this.letGo();
    // A lost grant need not be released, so a shutdown does not wait for it.
    runtime.grants.delete(this);
    const error = this.lossError();
    tellLoss(this, lossTexts(reason, kind.family, holds.isWatched), error);
    this.abortController.abort(error);
  }

  /**
   * Sends the server the owner's hold count and the lease from now. Does nothing if the grant is lost.
   * @param entering The term of a hold about to be added.
   */
  protected async confirm(entering?: HoldTerm): Promise<void> {
    const { state, holds } = this;
    if (!isHeld(state)) return;
    this.state = afterCommand(state);
    await this.sendHold(holds.count + (entering === undefined ? 0 : 1), holds.needed(entering));
  }

  protected async sendHold(count: number, lease: number): Promise<void> {
    const { runtime, name, owner } = this;
    const command = new LeaseCommand(new Stopwatch(runtime.scheduler), lease);
    this.lease.request(command);
    // A lease that will end needs its timer even if this command is never answered.
    if (this.isEnding) this.lease.doubt();
    const reply = await this.operations
      .hold({ name, owner, count, lease, silent: this.kind.silent })
      .catch((error: unknown) => {
        this.lease.unanswered(command);
        throw error;
      });
    if (reply.outcome === 'held') this.lease.granted(command, reply.sent);
    // Not by way of the lease, which is over if the last hold is on its way out.
    else this.onLost('gone');
  }

  /** The grant, if the server certainly still has it unchanged: no command was sent since, nor is in flight. */
  protected get untouched(): Acquired | undefined {
    const isTouched = this.state.phase !== 'granted' || this.inspecting || this.runtime.watchdog.isRenewing(this);
    return isTouched ? undefined : this.acquired;
  }

  /** Called when a hold was confirmed: the watchdog looks after the lease as long as any hold needs it. */
  protected keepAlive(): void {
    if (this.isEnding) this.lease.doubt();
    else this.lease.trust();
    // The deadline may have passed before the reply; a lost grant has left the watchdog and must not return to it.
    if (isHeld(this.state)) this.runtime.watchdog.watch(this);
    this.runtime.grants.renewed(this);
  }

  /** Ends the lease: from now on nothing keeps it alive, and it cannot be lost by the clock. */
  protected letGo(): void {
    this.runtime.watchdog.unwatch(this);
    this.lease.end();
  }

  lossError(): LockLostError {
    const { reason } = this.abortController;
    return reason instanceof LockLostError ? reason : lossError(this.name, this.owner, this.kind.family, this.loss);
  }

  /** Whether the server says that the owner no longer has the lock. */
  private async isGone(): Promise<boolean> {
    try {
      return (await this.operations.inspect(this.name, this.owner)).count === 0;
    } catch (error) {
      if (error instanceof LockKeyTypeError) return true;
      if (!isPassing(error)) this.runtime.events.emit({ type: 'unexpected', error });
      return false;
    }
  }
}
