import type { LockEvents } from '../events/lock-events.js';
import type { AcquireDefaults, LeaseTerms } from '../waiting/acquire.options.js';
import type { EndsByOthers, Watch } from './ends-by-others.js';
import type { GrantRegistry } from './grant-registry.js';
import { ListNode } from '../linked-list.js';
import { isPassing, LockLostError } from '../errors.js';
import type { OwnerId } from '../context/owner-ids.js';
import { type MonotonicScheduler, Stopwatch } from '../time/scheduler.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import { Lease, LeaseCommand, type LeaseHolder } from '../watchdog/lease.js';
import type { ScheduleEntry, Watched } from '../watchdog/renewal-schedules.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import {
  afterClose,
  afterCommand,
  afterLoss,
  GRANTED,
  type GrantLoss,
  type GrantState,
  isClosed,
  isHeld,
  type Open,
} from './grant-state.js';
import { type CountedHold, GrantHolds, type Seated } from './grant-holds.js';
import {
  eventFieldsOf,
  type GrantEventFields,
  type GrantOrigin,
  tellAge,
  tellForgotten,
  tellLoss,
  tellRelease,
  tellRenewal,
} from './hold-events.js';
import { HoldAgeCheck } from './hold-age-check.js';
import { CollectedSeat, type HoldTerm, longerOf } from './seat.js';
import { isGone, LazyAbortController, lossError, lossTexts } from './loss.js';
import type { LockKind } from './lock-kind.js';
import { AsyncMutex } from '../concurrency.js';
import type { HowReleased } from '../events/life-cycle-events.js';
import type { GrantPlace } from './converting/grant-place.js';
import { releaseGrant } from './grant-release.js';
import type { HoldRelease } from './hold.js';

/** Services shared by the grants of one connection. */
export interface GrantServices {
  readonly scheduler: MonotonicScheduler;
  readonly watchdog: Watchdog;
  /** The name of the connection. */
  readonly connection: string;
  readonly events: LockEvents;
  readonly defaults: AcquireDefaults;
  readonly grants: GrantRegistry<Grant>;
  readonly endsByOthers: EndsByOthers;
}

/**
 * The server's grant to one owner: a number of holds, and one lease over all of them. Commands are sent one after the
 * other, and each states the desired count and lease rather than a change: each may be sent twice with one effect, and
 * the next command corrects the state that a failed one may have left.
 */
export class Grant extends ListNode<Grant> implements LeaseHolder, Watched {
  readonly owner: OwnerId;
  readonly lease: Lease;
  scheduleEntry: ScheduleEntry<Watched> | undefined = undefined;
  /** Fencing token, if this kind of lock has them: higher than that of any earlier grant. */
  readonly fence: bigint | undefined;
  /** The holds that the server is to count. */
  readonly holds: GrantHolds;
  private state: GrantState = GRANTED;
  private abortController: LazyAbortController | undefined = undefined;
  /** Since code has the signal. */
  private watch: Watch | undefined = undefined;
  /** Created in the first round of the watchdog: most grants end before it (docs/architecture.md#hot-path). */
  private ageCheck: HoldAgeCheck | undefined = undefined;
  /** The inspection in flight. */
  private inspecting: Promise<void> | undefined = undefined;
  /** The inspection that waits for the commands in flight. */
  private toInspect: Promise<void> | undefined = undefined;
  /** Created for the first command after the acquisition: of thousands of held locks, most have sent none. */
  private commands: AsyncMutex | undefined = undefined;
  /** Holds about to be added, and holds about to leave that are still counted. */
  private joining = 0;
  private leaving = 0;

  constructor(
    readonly runtime: GrantServices,
    readonly kind: LockKind,
    readonly name: string,
    readonly acquired: Acquired,
    readonly origin?: GrantOrigin,
    readonly place?: GrantPlace<Grant>,
  ) {
    super();
    this.owner = acquired.owner;
    this.fence = acquired.fence;
    this.holds = new GrantHolds(acquired.sent, runtime.watchdog.timeout, runtime.defaults.maxHold);
    this.lease = new Lease(runtime.scheduler, acquired.sent, acquired.lease, this);
    if (kind.owner === undefined) runtime.grants.add(this);
    if (kind.isReplaceable) this.watch = runtime.endsByOthers.watch(this);
  }

  /** Whether a hold remains after all pending releases, so that others may join it. */
  get isJoinable(): boolean {
    return !isClosed(this.state) && this.holds.count + this.joining > this.leaving;
  }

  /** Whether its last hold has left: what ends it was sent, unless nothing has to be. */
  get isClosed(): boolean {
    return isClosed(this.state);
  }

  /** Whether a command is in flight. */
  get isBusy(): boolean {
    return this.commands?.isIdle === false;
  }

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

  get keptFor(): number {
    return this.holds.keptFor;
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
    if (isHeld(this.state)) this.watch ??= this.runtime.endsByOthers.watch(this);
    return this.aborting.signal;
  }

  /** Signals the holder to stop although nothing is lost yet. */
  abort(reason: Error): void {
    this.aborting.abort(reason);
  }

  /** Takes over the signal of the grant that this one continues, so that code which has it stops as well. */
  takeSignalOf(before: Grant): void {
    this.abortController = before.aborting;
    if (before.watch) this.watch = this.runtime.endsByOthers.watch(this);
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

  /** As {@link verify}, after the commands in flight: they may have been executed before others ended the hold. */
  verifyAfterCommands(): Promise<void> {
    this.toInspect ??= this.betweenCommands(() => {
      this.toInspect = undefined;
      return isHeld(this.state) ? this.inspect() : Promise.resolve();
    });
    return this.toInspect;
  }

  private async inspect(): Promise<void> {
    try {
      // An owner that released it meanwhile has lost nothing. An owner that the server dropped never comes back.
      if ((await isGone(this)) && this.isJoinable) this.lease.lose('gone');
    } finally {
      this.inspecting = undefined;
    }
  }

  /**
   * Called by the watchdog in every round. Also sees to it that a hold which nothing refers to, and only its acquirer
   * could release, is no longer renewed.
   */
  checkAge(): void {
    this.ageCheck ??= new HoldAgeCheck(this.holds);
    const warning = this.loss ? undefined : this.ageCheck.check();
    if (warning) tellAge(this, warning, this.holds.limit);
    this.holds.weaken((hold) => this.runtime.grants.whenCollected(hold, new CollectedSeat(this, hold.seat)));
  }

  /** Called when a hold is referred to no more, so that nobody can release it. */
  onForgotten(hold: Seated): void {
    if (!this.scheduleEntry || !this.holds.get(hold)?.isWatched) return;
    tellForgotten(this, hold.seat.acquiredAt);
    void this.abandon(hold);
  }

  onRenewed(lease: number): void {
    this.runtime.grants.renewed(this);
    if (this.watch) this.runtime.endsByOthers.retry(this.watch);
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
    this.aborting.abort(error);
  }

  /**
   * Sends the server the owner's hold count and the lease from now. Does nothing if the grant is lost.
   * @param entering The term of a hold about to be added.
   */
  private async confirm(entering?: HoldTerm): Promise<void> {
    if (!isHeld(this.state)) return;
    this.state = afterCommand(this.state);
    const { runtime, name, owner, holds } = this;
    const [count, lease] = [holds.count + (entering === undefined ? 0 : 1), holds.needed(entering)];
    const command = new LeaseCommand(new Stopwatch(runtime.scheduler), lease);
    this.lease.request(command);
    // A lease that will end needs its timer even if this command is never answered.
    if (this.isEnding) this.lease.letExpire();
    const reply = await this.operations
      .hold({ name, owner, count, lease, silent: this.kind.silent })
      .catch((error: unknown) => {
        this.lease.unanswered(command);
        runtime.watchdog.retry(this);
        throw error;
      });
    if (reply.outcome === 'held') this.lease.granted(command, reply.sent);
    // Not by way of the lease, which is over if the last hold is on its way out.
    else this.onLost('gone');
  }

  /** The grant, if the server certainly still has it unchanged: no command was sent since, nor is in flight. */
  private get untouched(): Acquired | undefined {
    const isTouched = this.state.phase !== 'granted' || this.inspecting || this.runtime.watchdog.isRenewing(this);
    return isTouched ? undefined : this.acquired;
  }

  /** Called when a hold was confirmed: the watchdog looks after the lease as long as any hold needs it. */
  private keepAlive(): void {
    if (this.isEnding) this.lease.letExpire();
    else this.lease.trust();
    // The deadline may have passed before the reply; a lost grant has left the watchdog and must not return to it.
    if (isHeld(this.state)) this.runtime.watchdog.watch(this);
    this.runtime.grants.renewed(this);
  }

  /** Ends the lease: from now on nothing keeps it alive, and it cannot be lost by the clock. */
  private letGo(): void {
    this.runtime.watchdog.unwatch(this);
    if (this.watch) this.runtime.endsByOthers.unwatch(this.watch);
    this.lease.end();
  }

  lossError(): LockLostError {
    const reason = this.abortController?.reason;
    return reason instanceof LockLostError ? reason : lossError(this.name, this.owner, this.kind.family, this.loss);
  }

  private get aborting(): LazyAbortController {
    return (this.abortController ??= new LazyAbortController());
  }

  /** One command at a time. Inspections and renewals are not serialized: they change no count. */
  private get mutex(): AsyncMutex {
    return (this.commands ??= new AsyncMutex());
  }

  /** Adds the hold that the server counted with the grant. */
  addFirstHold(hold: CountedHold, lease: LeaseTerms, term?: HoldTerm): void {
    if (term) this.holds.set(hold, term);
    else this.holds.setFirst(hold, lease);
    this.keepAlive();
  }

  /**
   * Re-enters: adds one hold. A hold that asks for less than another never shortens the lease.
   * @returns false if the last hold had left before this call got the mutex.
   * @throws LockLostError, LockUnavailableError
   */
  reenter(hold: CountedHold, lease: LeaseTerms): Promise<boolean> {
    this.joining += 1;
    return this.mutex.run(async () => {
      try {
        if (isClosed(this.state)) return false;
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

  /** Makes a hold last at least as long as one of this lease that begins now. @throws LockLostError, LockUnavailableError */
  extend(hold: CountedHold, lease: LeaseTerms): Promise<void> {
    return this.keepFor(hold, (before) => longerOf(before, this.holds.termOf(lease)));
  }

  /** Makes a hold that the watchdog renewed so far end `lease` ms from now. @throws LockLostError, LockUnavailableError */
  limit(hold: CountedHold, lease: number): Promise<void> {
    return this.keepFor(hold, () => this.holds.termOf(lease));
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

  /** Ends one hold; the last one ends the grant. On the hot path, see docs/architecture.md#hot-path. */
  leave(hold: CountedHold): Promise<HoldRelease> {
    return this.end<HoldRelease>(hold, () => {
      const { state } = this;
      if (isClosed(state)) return Promise.resolve('expired');
      return this.holds.isLasting ? this.stay() : this.release(state);
    });
  }

  /**
   * Ends one hold without a command. The server counts it until the next command, which is harmless: the release of the
   * last hold frees the lock whatever the count. The last hold leaves the lock to the end of its lease.
   */
  abandon(hold: Seated): Promise<HoldRelease> {
    return this.end<HoldRelease>(hold, () => {
      if (this.isJoinable) this.keepAlive();
      else if (!this.holds.isLasting) this.endWithoutCommand('abandoned');
      return Promise.resolve(this.loss ? 'expired' : 'still-held');
    });
  }

  /** Whether its one hold is the only one, and no other is about to enter or to leave. */
  get hasOneHold(): boolean {
    return this.holds.count === 1 && this.joining === 0 && this.leaving === 0;
  }

  private end<T>(hold: Seated, andThen: () => Promise<T>): Promise<T> {
    this.leaving += 1;
    // Immediately, not only with the mutex: a lock that is no longer wanted must not be renewed.
    if (!this.isJoinable) this.letGo();
    return this.mutex.run(() => {
      this.leaving -= 1;
      this.holds.delete(hold);
      return andThen();
    });
  }

  /** Ends the grant, whose lock is left to the end of its lease, or to another owner. */
  endWithoutCommand(how: HowReleased): void {
    if (isClosed(this.state)) return;
    this.close(this.state, how);
    this.place?.onClosed();
    this.runtime.grants.delete(this);
  }

  /** Runs `work` while no command of this grant is in flight, and none is sent. */
  betweenCommands<T>(work: () => Promise<T>): Promise<T> {
    // No inspection nor renewal begins while the grant is busy.
    return this.mutex.run(() => Promise.all([this.inspecting, this.runtime.watchdog.whenRenewed(this)]).then(work));
  }

  /**
   * Closes the grant, and resolves when no command of it is in flight. From then on, whatever the server counts under
   * its owner id belongs to another grant, whose lease no late command of this one may change. For a grant that was lost
   * or is about to close.
   */
  async seal(): Promise<void> {
    await this.mutex.run(async () => {
      if (!isClosed(this.state)) this.close(this.state, 'released');
    });
    await this.runtime.watchdog.whenRenewed(this);
  }

  private async stay(): Promise<HoldRelease> {
    await this.confirm().catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      return this.confirm();
    });
    if (this.isJoinable) this.keepAlive();
    return this.loss ? 'expired' : 'still-held';
  }

  private release(state: Open): Promise<HoldRelease> {
    const { untouched } = this;
    this.close(state);
    this.place?.onClosed();
    return releaseGrant(this, untouched);
  }

  private close(state: Open, how?: HowReleased): void {
    if (how) tellRelease(this, how);
    this.state = afterClose(state);
    this.letGo();
  }
}
