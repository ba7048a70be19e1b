import { LockLostError } from '../errors.js';
import type { OwnerId } from '../scope/owner.js';
import { Turns } from '../scope/turns.js';
import type { Acquired } from '../waiting/attempt.js';
import { Lease, type LossReason } from '../watchdog/lease.js';
import type { Watched } from '../watchdog/watchdog.js';
import type { Hold } from './hold.js';
import type { LockRuntime } from './lock-runtime.js';

const LOSS_TEXT: Readonly<Record<LossReason, string>> = {
  'lease-over': 'its lease ended before it was renewed or released',
  gone: 'the server no longer has it, because it expired, was deleted or was force-released',
};

/** What became of one hold: the lock is free, an outer hold of the same owner remains, or it had ended before. */
export type HoldRelease = 'released' | 'still-held' | 'expired';

/**
 * What the server granted to one owner: a number of holds, and one lease over all of them. Transitions go to the server
 * one after the other, and each says which count it wants, so each may be sent twice and has one effect.
 */
export class Grant implements Watched {
  readonly owner: OwnerId;
  readonly lease: Lease;
  /** The holds the server counts, each with the instant its own lease ends; `Infinity`: the watchdog keeps it. */
  private readonly until = new Map<Hold, number>();
  /** Holds on their way in, and holds on their way out that the server still counts. */
  private joining = 0;
  private leaving = 0;
  private readonly transitions = new Turns();
  private abortion: AbortController | undefined;
  private abortReason: Error | undefined;
  private loss: LossReason | undefined;

  constructor(
    readonly runtime: LockRuntime,
    readonly name: string,
    acquired: Acquired,
    private readonly onRetired: () => void = () => {},
  ) {
    this.owner = acquired.owner;
    this.lease = new Lease(runtime.scheduler, acquired.sentAt, acquired.lease, (reason) => this.onLost(reason));
    runtime.grants.add(this);
  }

  /** Whether a hold remains, so that others may join it. */
  get isOpen(): boolean {
    return this.until.size + this.joining - this.leaving > 0;
  }

  /** The hold that came in last and that somebody is to release by hand. */
  get latestLoose(): Hold | undefined {
    return [...this.until.keys()].findLast((hold) => hold.binding === 'loose' && hold.isHeld);
  }

  /** Aborts with `LockLostError` before the lease can end on the server, or with the reason of a shutdown. */
  get signal(): AbortSignal {
    this.abortion ??= new AbortController();
    if (this.abortReason) this.abortion.abort(this.abortReason);
    return this.abortion.signal;
  }

  /** @throws LockLostError By the clock: no timer and no reply has to have told. */
  assertHeld(): void {
    if (!this.lease.isAlive) throw this.lossError();
  }

  /** Counts the first hold in. */
  admitFirst(hold: Hold, lease: number | undefined): void {
    this.until.set(hold, this.untilFor(lease));
    this.keepAlive();
  }

  /**
   * Re-enters: the owner holds once more. The lease is never shortened by a hold that asks for less than another.
   * @throws LockLostError, LockUnavailableError
   */
  async join(hold: Hold, lease: number | undefined): Promise<void> {
    this.joining += 1;
    await this.transitions.run(async () => {
      this.joining -= 1;
      this.assertHeld();
      this.until.set(hold, this.untilFor(lease));
      try {
        await this.confirm();
      } catch (error) {
        this.until.delete(hold);
        throw error;
      }
      this.keepAlive();
    });
  }

  /** Ends one hold, and with the last one the grant. */
  leave(hold: Hold): Promise<HoldRelease> {
    this.leaving += 1;
    // At once, not when the server has confirmed: nobody may join what is on its way out, nor renew it.
    if (!this.isOpen) this.retire();
    return this.transitions.run(async () => {
      this.leaving -= 1;
      // Counted with this hold: as long as the server may keep it, should the release be long in coming.
      const left = this.ttl();
      this.until.delete(hold);
      if (!this.isOpen) this.retire();
      try {
        return await this.release(this.until.size, this.until.size === 0 ? left : this.ttl());
      } finally {
        if (!this.isOpen) this.runtime.grants.delete(this);
      }
    });
  }

  /**
   * Lets the lease last at least `lease` ms from now.
   * @throws LockLostError, LockUnavailableError
   */
  extend(hold: Hold, lease: number): Promise<void> {
    return this.transitions.run(async () => {
      this.assertHeld();
      const before = this.until.get(hold) ?? 0;
      this.until.set(hold, Math.max(before, this.untilFor(lease)));
      const ttl = this.ttl();
      // Not an acquire for the count there is, which would take a lock anew that somebody else may have had meanwhile.
      const { sentAt, held } = await this.runtime.backend.lock.renew([this], ttl);
      this.learn(held[0] ? sentAt : undefined, ttl);
      this.keepAlive();
    });
  }

  /** Tells the holder to stop although nothing is lost yet. */
  abort(reason: Error): void {
    this.abortReason ??= reason;
    this.abortion?.abort(reason);
  }

  private async release(count: number, lease: number): Promise<HoldRelease> {
    if (this.loss === 'gone') return 'expired';
    const { runtime, name, owner } = this;
    // What remains may ask for less time than what leaves. Believed before it is confirmed, since it may go unanswered.
    if (count > 0) this.lease.shorten(lease);
    const outcome = await runtime.backend.lock.release({ name, owner, count, lease });
    if (outcome === 'not-held') this.lease.lose('gone');
    else if (this.isOpen) this.keepAlive();
    return outcome === 'not-held' || this.loss ? 'expired' : outcome;
  }

  /** Has the server confirm the number of holds and the lease that they need together. */
  private async confirm(): Promise<void> {
    const { runtime, name, owner } = this;
    const count = this.until.size;
    const lease = this.ttl();
    const reply = await runtime.backend.lock.acquire({ name, owner, count, lease });
    this.learn(reply.outcome === 'acquired' ? reply.sentAt : undefined, lease);
  }

  /**
   * @param sentAt When the command left that the server confirmed the hold by; `undefined` if it does not have it.
   * @throws LockLostError
   */
  private learn(sentAt: number | undefined, lease: number): void {
    if (sentAt === undefined) {
      this.lease.lose('gone');
      throw this.lossError();
    }
    this.lease.renewed(sentAt, lease);
    this.assertHeld();
  }

  private untilFor(lease: number | undefined): number {
    return lease === undefined ? Number.POSITIVE_INFINITY : this.runtime.scheduler.now() + lease;
  }

  /** Milliseconds the holds need together: the longest of their leases, or a round of the watchdog. */
  private ttl(): number {
    const last = Math.max(...this.until.values());
    if (last === Number.POSITIVE_INFINITY) return this.runtime.watchdog.timeout;
    return Math.max(1, Math.ceil(last - this.runtime.scheduler.now()));
  }

  private keepAlive(): void {
    const renewed = [...this.until.values()].includes(Number.POSITIVE_INFINITY);
    if (renewed) {
      this.lease.trust();
      this.runtime.watchdog.watch(this);
    } else {
      this.runtime.watchdog.unwatch(this);
      this.lease.doubt();
    }
  }

  private retire(): void {
    this.runtime.watchdog.unwatch(this);
    this.lease.end();
    this.onRetired();
  }

  private onLost(reason: LossReason): void {
    this.loss = reason;
    this.runtime.watchdog.unwatch(this);
    this.runtime.events.emit({ type: 'lost', lockName: this.name, owner: this.owner, reason: LOSS_TEXT[reason] });
    this.abort(this.lossError());
  }

  private lossError(): LockLostError {
    if (this.abortReason instanceof LockLostError) return this.abortReason;
    const why = LOSS_TEXT[this.loss ?? 'gone'];
    return new LockLostError(
      `Lock "${this.name}" is no longer held by ${this.owner}: ${why}; stop, somebody else may hold it`,
      {
        lockName: this.name,
        details: { owner: this.owner, reason: this.loss },
      },
    );
  }
}
