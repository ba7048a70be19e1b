import type { LockTransitions } from '../backend/lock-transitions.js';
import type { LockEvents } from '../observability/lock-events.js';
import { runOutsideRegions } from '../scope/current-region.js';
import type { OwnerId } from '../scope/owner.js';
import type { ScheduledTask } from '../time/scheduler.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';
import type { Stopwatch } from '../time/stopwatch.js';
import type { Lease } from './lease.js';

/** A hold that is kept alive until it is released or lost, or until the end of its own lease. */
export interface Watched {
  /** Where it is renewed, together with others of its kind. */
  readonly transitions: Pick<LockTransitions, 'renew'>;
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: Lease;
  /** Milliseconds that it needs from now on. */
  readonly neededLease: number;
  /** Whether it has a lease of its own: its deadline keeps its timer then, however well the renewals work. */
  readonly isLeased: boolean;
  /** Whether the server is being told something else about it, which lets it last just as well. */
  readonly isBusy: boolean;
}

/** Renewed in one command: large enough that ten thousand holds cost few, small enough to keep the server free. */
const BATCH = 500;
/** The share of the timeout after which a failed renewal is tried again, and after which the next is due. */
const PERIOD = 1 / 3;
const RETRY = 1 / 15;

/**
 * Renews every hold it is told to watch, a third of the timeout after the last time, in batches, on one timer. The next
 * round is armed before the current one works, so that a round that hangs delays no other; failed batches are tried
 * again, several times before the next round is due, until the local deadline of their holds. Nothing is thrown: a hold
 * that cannot be kept is lost, and its signal says so.
 */
export class Watchdog {
  private readonly watched = new Set<Watched>();
  private readonly renewing = new Set<Watched>();
  private timer: ScheduledTask | undefined;
  private stopped = false;

  /** @param timeout Milliseconds each renewal grants (Redisson: `lockWatchdogTimeout`). */
  constructor(
    private readonly scheduler: SteadyScheduler,
    private readonly events: LockEvents,
    readonly timeout: number,
  ) {}

  /** Keeps `hold` alive from now on. */
  watch(hold: Watched): void {
    if (this.stopped) {
      hold.lease.doubt();
      return;
    }
    this.watched.add(hold);
    this.timer ??= this.arm();
  }

  /** Lets `hold` be: it was released, or has a lease again. */
  unwatch(hold: Watched): void {
    this.watched.delete(hold);
    if (this.watched.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Renews nothing any more; what is held runs out by its lease. */
  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
    this.timer = undefined;
    for (const hold of this.watched) hold.lease.doubt();
    this.watched.clear();
  }

  private arm(): ScheduledTask {
    return runOutsideRegions(() => this.scheduler.schedule(this.timeout * PERIOD, () => this.round()));
  }

  private round(): void {
    this.timer = this.arm();
    this.renewInTurns([...this.watched]);
  }

  /** Batch after batch, each in a turn of its own: ten thousand holds in one would keep the event loop for too long. */
  private renewInTurns(holds: readonly Watched[]): void {
    this.renewDue(holds.slice(0, BATCH));
    if (holds.length > BATCH) this.scheduler.schedule(0, () => this.renewInTurns(holds.slice(BATCH)));
  }

  private renewDue(holds: readonly Watched[]): void {
    const due = new Map<Watched['transitions'], Watched[]>();
    for (const hold of holds) {
      if (!this.isDue(hold)) continue;
      const batch = due.get(hold.transitions);
      if (batch) batch.push(hold);
      else due.set(hold.transitions, [hold]);
    }
    for (const [transitions, batch] of due) void this.renew(transitions, batch);
  }

  /** A lease that ends before the round after the next is left to itself: nobody's renewal grants less than that. */
  private isDue(hold: Watched): boolean {
    const isFree = this.watched.has(hold) && !this.renewing.has(hold) && !hold.isBusy;
    return isFree && hold.lease.isAlive && hold.neededLease > this.timeout * (1 - PERIOD);
  }

  private async renew(transitions: Watched['transitions'], holds: readonly Watched[]): Promise<void> {
    const renewals = holds.map(({ name, owner, neededLease }) => ({ name, owner, lease: neededLease }));
    for (const hold of holds) this.renewing.add(hold);
    try {
      const { sent, held, failure } = await transitions.renew(renewals);
      const open = holds.filter((_, index) => held[index] === undefined);
      holds.forEach((hold, index) => {
        if (held[index] !== undefined) this.learn(hold, held[index] ? renewals[index]?.lease : undefined, sent);
      });
      if (open.length > 0) this.tryAgain(open, failure);
    } catch (error) {
      this.tryAgain(holds, error);
    } finally {
      for (const hold of holds) this.renewing.delete(hold);
    }
  }

  private tryAgain(holds: readonly Watched[], error: unknown): void {
    this.events.emit({ type: 'renewal-failed', holds: holds.length, error });
    for (const hold of holds) if (this.watched.has(hold)) hold.lease.doubt();
    this.scheduler.schedule(this.timeout * RETRY * (0.5 + Math.random()), () => this.renewDue(holds));
  }

  /** @param lease What was granted; `undefined`: nothing is held any more. */
  private learn(hold: Watched, lease: number | undefined, sent: Stopwatch): void {
    // A hold that was released meanwhile may well be missing on the server.
    if (!this.watched.has(hold)) return;
    if (lease === undefined) {
      this.unwatch(hold);
      hold.lease.lose('gone');
    } else {
      hold.lease.renewed(sent, lease);
      if (!hold.isLeased) hold.lease.trust();
    }
  }
}
