import { AsyncMutex } from '../concurrency/async-mutex.js';
import type { HowReleased } from '../events/life-cycle-events.js';
import { isPassing } from '../errors.js';
import type { LeaseTerms } from '../waiting/acquire.options.js';
import type { Acquired } from '../waiting/lock-attempts.js';
import type { GrantPlace } from './converting/grant-place.js';
import type { CountedHold, HoldTerm, Seated } from './grant-holds.js';
import { releaseGrant } from './grant-release.js';
import { afterClose, isClosed, type Open } from './grant-state.js';
import type { HoldRelease } from './hold.js';
import { type GrantOrigin, tellForgotten, tellRelease } from './observed/hold-events.js';
import type { GrantServices } from './leased-grant.js';
import { LeasedGrant } from './leased-grant.js';
import type { LockKind } from './lock-kind.js';

/**
 * The server's grant to one owner: a number of holds, and one lease over all of them. Commands are sent one after the
 * other, and each states the desired count and lease rather than a change: each may be sent twice with one effect, and
 * the next command corrects the state that a failed one may have left.
 */
export class Grant extends LeasedGrant {
  /** Created for the first command after the acquisition: of thousands of held locks, most have sent none. */
  private commands: AsyncMutex | undefined = undefined;
  /** Holds about to be added, and holds about to leave that are still counted. */
  private joining = 0;
  private leaving = 0;

  constructor(
    runtime: GrantServices,
    kind: LockKind,
    name: string,
    acquired: Acquired,
    origin?: GrantOrigin,
    readonly place?: GrantPlace<Grant>,
  ) {
    super(runtime, kind, name, acquired, origin);
  }

  override get isJoinable(): boolean {
    return !isClosed(this.state) && this.holds.count + this.joining > this.leaving;
  }

  override get isBusy(): boolean {
    return this.commands?.isIdle === false;
  }

  /** One command at a time. Inspections and renewals are not serialized: they change no count. */
  private get mutex(): AsyncMutex {
    return (this.commands ??= new AsyncMutex());
  }

  get latestManualHold(): CountedHold | undefined {
    return this.holds.findLast((hold) => hold.lifetime === 'manual' && !hold.isReleased);
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

  /**
   * Makes a hold last at least `lease` ms from now.
   * @throws LockLostError, LockUnavailableError
   */
  extend(hold: CountedHold, lease: number): Promise<void> {
    return this.keepFor(hold, (before) => ({ ...before, end: Math.max(before.end, this.holds.termOf(lease).end) }));
  }

  /**
   * Makes a hold that the watchdog renewed so far end `lease` ms from now.
   * @throws LockLostError, LockUnavailableError
   */
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

  /** Also sees to it that a hold which nothing refers to, and only its acquirer could release, is no longer renewed. */
  override checkAge(): void {
    super.checkAge();
    this.holds.weaken((hold) => {
      const { seat } = hold;
      this.runtime.grants.whenCollected(hold, () => {
        if (!this.scheduleEntry || !this.holds.get({ seat })?.isWatched) return;
        tellForgotten(this, seat.acquiredAt);
        void this.abandon({ seat });
      });
    });
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
    return this.mutex.run(() => this.inspected().then(work));
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
