import type { LockEvents } from '../events/lock-events.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';
import type { GrantRegistry } from './grant-registry.js';
import { ListNode } from '../collections/linked-list.js';
import { isPassing, LockLostError, WrongKeyTypeError } from '../errors.js';
import type { OwnerId } from '../context/ids.js';
import { AsyncMutex } from '../concurrency/async-mutex.js';
import { type MonotonicScheduler, Stopwatch } from '../time/monotonic-scheduler.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { Lease, LeaseCommand, type LeaseHolder, type LossReason } from '../watchdog/lease.js';
import type { ScheduleEntry } from '../watchdog/renewal-schedule.js';
import { lastRenewalWithin } from '../watchdog/renewal-times.js';
import type { Watchdog, Watched } from '../watchdog/watchdog.js';
import type { HoldRelease } from './hold.js';
import { LazyAbortController } from './lazy-abort-controller.js';
import { type CountedHold, GrantHolds, type HoldTerm, HoldAgeCheck } from './grant-holds.js';
import type { LockKind } from './lock-kind.js';
import { lossError, lossRemedy, lossText } from './loss-error.js';

/** Services shared by the grants of one connection. */
export interface GrantServices {
  readonly scheduler: MonotonicScheduler;
  readonly watchdog: Watchdog;
  readonly events: LockEvents;
  readonly defaults: AcquireDefaults;
  /** All current grants. */
  readonly grants: GrantRegistry<Grant>;
}

/**
 * The server's grant to one owner: a number of holds, and one lease over all of them. Commands are sent one after the
 * other, and each states the desired count and lease rather than a change: each may be sent twice with one effect, and
 * the next command corrects the state that a failed one may have left.
 */
export class Grant extends ListNode<Grant> implements LeaseHolder, Watched {
  readonly owner: OwnerId;
  readonly lease: Lease;
  /** Managed by the watchdog. */
  scheduleEntry: ScheduleEntry<Watched> | undefined = undefined;
  /** Fencing token, if this kind of lock has them: higher than that of any earlier grant. */
  readonly fence: bigint | undefined;
  private readonly abortController = new LazyAbortController();
  /** The holds that the server is to count. */
  private readonly holds: GrantHolds;
  private readonly age: HoldAgeCheck;
  private isVerifying = false;
  /** Whether any command was sent since the grant. */
  private isModified = false;
  private readonly mutex = new AsyncMutex();
  /** Holds about to be added, and holds about to leave that are still counted. */
  private joining = 0;
  private leaving = 0;
  /** Set when the last hold has left; no command follows. */
  private closed = false;
  private loss: LossReason | undefined;
  /**
   * Latest local time at which Redis may still hold the lock for this owner, assuming every command that was sent took
   * effect.
   */
  private serverMayHoldUntil: number;

  constructor(
    readonly runtime: GrantServices,
    readonly kind: LockKind,
    readonly name: string,
    private readonly acquired: Acquired,
    /** The method or interceptor that acquired it, if any: `@Locked Orders.pay`. */
    readonly method?: string,
    private readonly onClosed?: () => void,
  ) {
    super();
    this.owner = acquired.owner;
    this.fence = acquired.fence;
    const { watchdog, scheduler, defaults } = runtime;
    this.holds = new GrantHolds(scheduler, watchdog.timeout, defaults.maxHold);
    this.age = new HoldAgeCheck(this.holds, defaults.maxHold, lastRenewalWithin(watchdog.timeout));
    this.serverMayHoldUntil = runtime.scheduler.now() + acquired.lease;
    this.lease = new Lease(runtime.scheduler, acquired.sent, acquired.lease, this);
    runtime.grants.add(this);
  }

  /** Whether a hold remains after all pending releases, so that others may join it. */
  get isJoinable(): boolean {
    return !this.closed && this.holds.count + this.joining > this.leaving;
  }

  get operations(): LockKind['operations'] {
    return this.kind.operations;
  }

  get neededLease(): number {
    return this.holds.needed();
  }

  get isEnding(): boolean {
    return !this.holds.isWatched || this.holds.left <= this.runtime.watchdog.timeout;
  }

  get isRenewed(): boolean {
    return this.holds.isWatched || (this.kind.renewsLeases ?? false);
  }

  get isBusy(): boolean {
    return !this.mutex.isIdle;
  }

  /** Whether the lease is over, by loss or by release. */
  get isLost(): boolean {
    return !this.lease.isAlive;
  }

  /** Milliseconds since the grant. */
  get heldFor(): number {
    return Math.round(this.holds.age);
  }

  /** The last added hold that is to be released by hand. */
  get latestManualHold(): CountedHold | undefined {
    return this.holds.findLast((hold) => hold.lifetime === 'manual' && hold.isHeld);
  }

  /** Aborts with `LockLostError` before the lease can end on the server, or with the reason of a shutdown. */
  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  /** @throws LockLostError by the local clock, even if no timer or reply has reported the loss yet. */
  assertHeld(): void {
    if (!this.lease.isAlive) throw this.lossError();
  }

  /** Signals the holder to stop although nothing is lost yet. */
  abort(reason: Error): void {
    this.abortController.abort(reason);
  }

  /** Adds the hold that the server counted with the grant. */
  addFirstHold(hold: CountedHold, lease: number | undefined): void {
    this.holds.set(hold, this.holds.termOf(lease));
    this.keepAlive();
  }

  /**
   * Re-enters: adds one hold. A hold that asks for less than another never shortens the lease.
   * @returns false if the last hold had left before this call got the mutex.
   * @throws LockLostError, LockUnavailableError
   */
  reenter(hold: CountedHold, lease: number | undefined): Promise<boolean> {
    this.joining += 1;
    return this.mutex.run(async () => {
      try {
        if (this.closed) return false;
        this.assertHeld();
        const term = this.holds.termOf(lease);
        await this.confirm(term);
        this.assertHeld();
        this.holds.set(hold, term);
        this.keepAlive();
        return true;
      } finally {
        this.joining -= 1;
      }
    });
  }

  /** Ends one hold; the last one ends the grant. */
  leave(hold: CountedHold): Promise<HoldRelease> {
    this.leaving += 1;
    // Immediately, not only with the mutex: a lock that is no longer wanted must not be renewed.
    if (!this.isJoinable) this.letGo();
    return this.mutex.run<HoldRelease>(() => {
      this.leaving -= 1;
      this.holds.delete(hold);
      if (this.closed) return Promise.resolve('expired');
      return this.holds.isLasting ? this.stay() : this.close();
    });
  }

  /**
   * Resolves when no command of this grant is in flight, and closes it. From then on, whatever the server counts under
   * its owner id belongs to another grant. For a grant that was lost or is about to close.
   */
  seal(): Promise<void> {
    return this.mutex.run(async () => {
      this.closed = true;
    });
  }

  /**
   * Makes a hold last at least `lease` ms from now.
   * @throws LockLostError, LockUnavailableError
   */
  extend(hold: CountedHold, lease: number): Promise<void> {
    return this.keepFor(hold, (before) => {
      const { end } = this.holds.termOf(lease);
      return { ...before, end: Math.max(before.end, end) };
    });
  }

  /**
   * Makes a hold that the watchdog renewed so far end `lease` ms from now.
   * @throws LockLostError, LockUnavailableError
   */
  limit(hold: CountedHold, lease: number): Promise<void> {
    return this.keepFor(hold, () => this.holds.termOf(lease));
  }

  /** Keeps the lock held for at least `ms` from now, even if it is released sooner. */
  holdAtLeast(ms: number): void {
    this.holds.holdAtLeast(ms);
  }

  private keepFor(hold: CountedHold, termAfter: (before: HoldTerm) => HoldTerm): Promise<void> {
    return this.mutex.run(async () => {
      this.assertHeld();
      const before = this.holds.get(hold);
      if (before === undefined) throw this.lossError();
      this.holds.set(hold, termAfter(before));
      await this.confirm();
      this.assertHeld();
      this.keepAlive();
    });
  }

  /**
   * Asks the server whether it still has the lock; if not, the grant is lost. A missing reply changes nothing. For
   * times when no other command would ask the server.
   */
  async verify(): Promise<void> {
    if (this.isVerifying || this.isBusy || this.closed || this.loss) return;
    const { name, owner } = this;
    this.isVerifying = true;
    try {
      const { count } = await this.operations.inspect(name, owner);
      if (count === 0) this.loseIfJoinable();
    } catch (error) {
      if (error instanceof WrongKeyTypeError) this.loseIfJoinable();
      else if (!isPassing(error)) this.runtime.events.emit({ type: 'unexpected', error });
    } finally {
      this.isVerifying = false;
    }
  }

  /** An owner that released it meanwhile has lost nothing. An owner that the server dropped never comes back. */
  private loseIfJoinable(): void {
    if (this.isJoinable) this.lease.lose('gone');
  }

  checkAge(): void {
    const type = this.loss ? undefined : this.age.check();
    if (!type) return;
    const { name: lockName, owner, runtime, method, heldFor } = this;
    const facts = { lockName, owner, method, heldFor };
    if (type === 'long-hold') runtime.events.emit({ type, ...facts });
    else runtime.events.emit({ type, ...facts, maxHold: runtime.defaults.maxHold });
  }

  private async stay(): Promise<HoldRelease> {
    await this.confirm().catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      return this.confirm();
    });
    if (this.isJoinable) this.keepAlive();
    return this.loss ? 'expired' : 'still-held';
  }

  /** Whether no command was sent since the grant, and none is in flight. */
  private get isUnmodified(): boolean {
    return !this.loss && !this.isModified && !this.isVerifying && !this.runtime.watchdog.isRenewing(this);
  }

  private close(): Promise<HoldRelease> {
    this.closed = true;
    this.letGo();
    this.onClosed?.();
    if (this.loss === 'gone') return Promise.resolve(this.finish('expired'));
    if (this.holds.minHoldLeft > 0) return this.keepOnServer();
    if (this.isUnmodified && this.kind.handOver?.handOver(this.name, this.acquired)) {
      return Promise.resolve(this.finish('released'));
    }
    return this.releaseOnServer();
  }

  /** Keeps the lock held on the server for the rest of the minimum hold time, with no owner left to release it. */
  private keepOnServer(): Promise<HoldRelease> {
    const { name, owner, holds, serverMayHoldFor: lease } = this;
    const { operations, silent } = this.kind;
    return operations.leaveBehind({ name, owner, lease, silent, keep: holds.minHoldLeft }).then(
      (wasHeld) => {
        if (!wasHeld) this.onLost('gone');
        return this.finish(this.loss ? 'expired' : 'still-held');
      },
      (error: unknown) => {
        this.runtime.grants.delete(this);
        throw error;
      },
    );
  }

  private releaseOnServer(): Promise<HoldRelease> {
    const { runtime, name, owner } = this;
    const { handOver, operations, silent } = this.kind;
    handOver?.beforeRelease(name);
    return operations.release({ name, owner, lease: this.serverMayHoldFor, silent }).then(
      (reply) => {
        handOver?.afterRelease(name, reply.outcome === 'released' ? (reply.heard ?? 0) : 0);
        if (reply.outcome !== 'released') this.onLost('gone');
        return this.finish(this.loss ? 'expired' : 'released');
      },
      (error: unknown) => {
        // The release may have announced nothing: the next announcement must not be taken for ours.
        handOver?.afterRelease(name, 0);
        runtime.grants.delete(this);
        throw error;
      },
    );
  }

  /** Milliseconds after which the server has certainly dropped the hold if no further command is sent. */
  private get serverMayHoldFor(): number {
    const { scheduler, watchdog } = this.runtime;
    return Math.max(this.serverMayHoldUntil - scheduler.now(), watchdog.timeout);
  }

  private finish(end: HoldRelease): HoldRelease {
    this.runtime.grants.delete(this);
    return end;
  }

  /**
   * Sends the server the owner's hold count and the lease from now.
   * @param entering The term of a hold about to be added.
   */
  private async confirm(entering?: HoldTerm): Promise<void> {
    const { runtime, name, owner } = this;
    if (this.loss) return;
    this.isModified = true;
    const count = this.holds.count + (entering === undefined ? 0 : 1);
    const lease = this.holds.needed(entering);
    this.serverMayHoldUntil = Math.max(this.serverMayHoldUntil, runtime.scheduler.now() + lease);
    const command = new LeaseCommand(new Stopwatch(runtime.scheduler), lease);
    this.lease.request(command);
    // A lease that will end needs its timer even if this command is never answered.
    if (this.isEnding) this.lease.doubt();
    const reply = await this.operations.hold({ name, owner, count, lease }).catch((error: unknown) => {
      this.lease.unanswered(command);
      throw error;
    });
    if (reply.outcome === 'held') {
      this.lease.granted(command, reply.sent);
      return;
    }
    this.lease.lose('gone');
    // The lease has ended already if the last hold is on its way out.
    this.onLost('gone');
  }

  private keepAlive(): void {
    if (this.isEnding) this.lease.doubt();
    else this.lease.trust();
    // The deadline may have passed before the reply; a lost grant has left the watchdog and must not return to it.
    if (!this.loss) this.runtime.watchdog.watch(this);
  }

  private letGo(): void {
    this.runtime.watchdog.unwatch(this);
    this.lease.end();
  }

  /** Called by the lease. */
  onLost(how: LossReason): void {
    if (this.loss) return;
    const isTooLong = how === 'lease-over' && this.age.isOver;
    const reason = isTooLong ? 'held-too-long' : how;
    this.loss = reason;
    this.runtime.watchdog.unwatch(this);
    // A lost grant need not be released, so a shutdown does not wait for it.
    this.runtime.grants.delete(this);
    const { name: lockName, owner, method, heldFor } = this;
    const why = lossText(reason, this.kind.family);
    const remedy = lossRemedy(reason, this.holds.isWatched);
    this.runtime.events.emit({ type: 'lost', lockName, owner, method, heldFor, reason: why, remedy });
    this.abortController.abort(this.lossError());
  }

  private lossError(): LockLostError {
    const { reason } = this.abortController;
    if (reason instanceof LockLostError) return reason;
    return lossError(this.name, this.owner, this.kind.family, this.loss);
  }
}
