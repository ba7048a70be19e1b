import type { LockEvents } from '../events/lock-events.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';
import type { AcquireDefaults } from '../waiting/acquire.options.js';
import type { GrantRegistry } from './grant-registry.js';
import { ListNode } from '../collections/linked-list.js';
import { isPassing, LockLostError, WrongKeyTypeError } from '../errors.js';
import type { OwnerId } from '../context/ids.js';
import { AsyncMutex } from '../concurrency/async-mutex.js';
import { Stopwatch } from '../time/monotonic-scheduler.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { Lease, LeaseCommand, type LeaseHolder, type LossReason } from '../watchdog/lease.js';
import type { ScheduleEntry } from '../watchdog/renewal-schedule.js';
import { lastRenewalWithin, type Watchdog, type Watched } from '../watchdog/watchdog.js';
import type { HoldRelease } from './hold.js';
import { LazyAbortController } from './hold-signal.js';
import { type CountedHold, GrantHolds, type HoldTerm, HoldAgeCheck } from './grant-holds.js';
import type { LockKind } from './lock-kind.js';
import { lossError, lossRemedy, lossText } from './lost-hold-error.js';

/** What the grants of one connection share. */
export interface GrantServices {
  readonly scheduler: MonotonicScheduler;
  readonly watchdog: Watchdog;
  readonly events: LockEvents;
  readonly defaults: AcquireDefaults;
  /** Everything that is held now. */
  readonly grants: GrantRegistry<Grant>;
}

/**
 * What the server granted to one owner: a number of holds, and one lease over all of them. Transitions go to the server
 * one after the other, and each says what is to be, not what is to change: each may be sent twice and has one effect,
 * and what a failed one left open is settled by the next.
 */
export class Grant extends ListNode<Grant> implements LeaseHolder, Watched {
  readonly owner: OwnerId;
  readonly lease: Lease;
  /** Kept by the watchdog. */
  onRota: ScheduleEntry<Watched> | undefined = undefined;
  /** Higher than that of any grant before, where the kind of lock gives fences. */
  readonly fence: bigint | undefined;
  private readonly abortController = new LazyAbortController();
  /** The holds the server is to count. */
  private readonly holds: GrantHolds;
  private readonly age: HoldAgeCheck;
  private isVerifying = false;
  /** Whether the server was told anything since it granted. */
  private isModified = false;
  private readonly mutex = new AsyncMutex();
  /** Holds on their way in, and holds on their way out that are still counted. */
  private joining = 0;
  private leaving = 0;
  /** The last hold has left; nothing comes after. */
  private closed = false;
  private loss: LossReason | undefined;
  /** Until when the server may count the owner at the most, by the scheduler, whatever became of what was sent. */
  private serverMayHoldUntil: number;

  constructor(
    readonly runtime: GrantServices,
    readonly kind: LockKind,
    readonly name: string,
    private readonly acquired: Acquired,
    /** The method or interceptor that got it, if any: `@Locked Orders.pay`. */
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

  /** Whether a hold remains when all that are on their way out have left, so that others may join it. */
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

  /** Whether there is nothing to hold on to any more. */
  get isLost(): boolean {
    return !this.lease.isAlive;
  }

  /** Milliseconds since it was granted. */
  get heldFor(): number {
    return Math.round(this.holds.age);
  }

  /** The hold that came in last and that somebody is to release by hand. */
  get latestManualHold(): CountedHold | undefined {
    return this.holds.findLast((hold) => hold.lifetime === 'manual' && hold.isHeld);
  }

  /** Aborts with `LockLostError` before the lease can end on the server, or with the reason of a shutdown. */
  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  /** @throws LockLostError By the clock: no timer and no reply has to have told. */
  assertHeld(): void {
    if (!this.lease.isAlive) throw this.lossError();
  }

  /** Tells the holder to stop although nothing is lost yet. */
  abort(reason: Error): void {
    this.abortController.abort(reason);
  }

  /** Counts the hold in that the server has counted already. */
  addFirstHold(hold: CountedHold, lease: number | undefined): void {
    this.holds.set(hold, this.holds.termOf(lease));
    this.keepAlive();
  }

  /**
   * Re-enters: the owner holds once more. The lease is never shortened by a hold that asks for less than another.
   * @returns false when the last hold had left before this one's turn came.
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

  /** Ends one hold, and with the last one the grant. */
  leave(hold: CountedHold): Promise<HoldRelease> {
    this.leaving += 1;
    // At once, not when its turn has come: what nobody wants any more is not renewed.
    if (!this.isJoinable) this.letGo();
    return this.mutex.run<HoldRelease>(() => {
      this.leaving -= 1;
      this.holds.delete(hold);
      if (this.closed) return Promise.resolve('expired');
      return this.holds.isLasting ? this.stay() : this.close();
    });
  }

  /**
   * Resolves when nothing that this grant asked for is on its way, and nothing will be: what the server counts under its
   * owner is another's from then on. For a grant that was lost, or that is about to close.
   */
  seal(): Promise<void> {
    return this.mutex.run(async () => {
      this.closed = true;
    });
  }

  /**
   * Lets a hold last at least `lease` ms from now.
   * @throws LockLostError, LockUnavailableError
   */
  extend(hold: CountedHold, lease: number): Promise<void> {
    return this.keepFor(hold, (before) => {
      const { end } = this.holds.termOf(lease);
      return { ...before, end: Math.max(before.end, end) };
    });
  }

  /**
   * Lets a hold that the watchdog kept so far last for `lease` ms from now and no longer.
   * @throws LockLostError, LockUnavailableError
   */
  limit(hold: CountedHold, lease: number): Promise<void> {
    return this.keepFor(hold, () => this.holds.termOf(lease));
  }

  /** However soon it is released, others get the lock after `ms` from now only. */
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
   * Finds out whether the server still has it; where not, it is lost. No answer changes nothing. For when nothing else
   * asks the server about it.
   */
  async verify(): Promise<void> {
    if (this.isVerifying || this.isBusy || this.closed || this.loss) return;
    const { name, owner } = this;
    this.isVerifying = true;
    try {
      const { count } = await this.operations.inspect(name, owner);
      // An owner that let go meanwhile has lost nothing; one that is gone never comes back.
      if (count === 0 && !this.closed && this.isJoinable) this.lease.lose('gone');
    } catch (error) {
      if (error instanceof WrongKeyTypeError) this.lease.lose('gone');
      else if (!isPassing(error)) this.runtime.events.emit({ type: 'unexpected', error });
    } finally {
      this.isVerifying = false;
    }
  }

  checkAge(): void {
    const type = this.loss ? undefined : this.age.check();
    if (!type) return;
    const { name: lockName, owner, runtime, method, heldFor } = this;
    const facts = { lockName, owner, method, heldFor };
    if (type === 'held-long') runtime.events.emit({ type, ...facts });
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

  /** Whether nothing was said about it since the server granted it, and nothing is being asked. */
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

  /** It stays held on the server, by nobody who could release it, for as long as it was to be held at least. */
  private keepOnServer(): Promise<HoldRelease> {
    const { name, owner, holds, serverMayHoldFor: lease } = this;
    return this.operations.leaveBehind({ name, owner, lease, keep: holds.minHoldLeft }).then(
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
    const { handOver, operations } = this.kind;
    handOver?.beforeRelease(name);
    return operations.release({ name, owner, lease: this.serverMayHoldFor }).then(
      (reply) => {
        handOver?.afterRelease(name, reply.outcome === 'released' ? (reply.heard ?? 0) : 0);
        if (reply.outcome !== 'released') this.onLost('gone');
        return this.finish(this.loss ? 'expired' : 'released');
      },
      (error: unknown) => {
        // Also where nobody was told: an announcement that is still expected would be another's.
        handOver?.afterRelease(name, 0);
        runtime.grants.delete(this);
        throw error;
      },
    );
  }

  /** Milliseconds after which the server has certainly dropped the hold if nothing more is asked of it. */
  private get serverMayHoldFor(): number {
    const { scheduler, watchdog } = this.runtime;
    return Math.max(this.serverMayHoldUntil - scheduler.now(), watchdog.timeout);
  }

  /** Nothing comes after. */
  private finish(end: HoldRelease): HoldRelease {
    this.runtime.grants.delete(this);
    return end;
  }

  /**
   * Tells the server how often the owner holds, and for how long from now.
   * @param entering The term of a hold that is to come in as well.
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
    // A lease that ends by itself needs its timer also if this command is never answered.
    if (this.isEnding) this.lease.doubt();
    const reply = await this.operations.hold({ name, owner, count, lease }).catch((error: unknown) => {
      this.lease.unanswered(command);
      throw error;
    });
    if (reply.outcome === 'held') this.lease.granted(command, reply.sent);
    else this.lease.lose('gone');
  }

  private keepAlive(): void {
    if (this.isEnding) this.lease.doubt();
    else this.lease.trust();
    // The deadline may have passed before the reply came, and whoever is lost leaves the watchdog only once.
    if (!this.loss) this.runtime.watchdog.watch(this);
  }

  private letGo(): void {
    this.runtime.watchdog.unwatch(this);
    this.lease.end();
  }

  /** Called by its lease. */
  onLost(how: LossReason): void {
    if (this.loss) return;
    const reason = how === 'lease-over' && this.age.isOver ? 'held-too-long' : how;
    this.loss = reason;
    this.runtime.watchdog.unwatch(this);
    // Nobody has to give back what is not there any more, and nothing waits for it.
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
