import type { SteadyScheduler } from '../time/steady-scheduler.js';
import type { GrantedHold } from './granted-hold.js';

/** The holds of one grant, in the order they came in, each with the instant its own lease ends. */
export class HoldTimes {
  /** By the scheduler; `Infinity`: the watchdog keeps it. */
  private readonly ends = new Map<GrantedHold, number>();

  constructor(
    private readonly scheduler: SteadyScheduler,
    private readonly watchdogTimeout: number,
  ) {}

  get count(): number {
    return this.ends.size;
  }

  /** Whether every hold has a lease of its own. */
  get isLeased(): boolean {
    return ![...this.ends.values()].includes(Number.POSITIVE_INFINITY);
  }

  /** Whether any has time left: holds whose own lease is over, and that nobody released, keep nothing. */
  get isLasting(): boolean {
    const now = this.scheduler.now();
    return [...this.ends.values()].some((end) => end > now);
  }

  /** The end of a lease of so many milliseconds from now; of none where it is `undefined`. */
  endOf(lease: number | undefined): number {
    return lease === undefined ? Number.POSITIVE_INFINITY : this.scheduler.now() + lease;
  }

  get(hold: GrantedHold): number | undefined {
    return this.ends.get(hold);
  }

  set(hold: GrantedHold, end: number): void {
    this.ends.set(hold, end);
  }

  delete(hold: GrantedHold): void {
    this.ends.delete(hold);
  }

  findLast(matches: (hold: GrantedHold) => boolean): GrantedHold | undefined {
    return [...this.ends.keys()].findLast(matches);
  }

  /**
   * Milliseconds the holds need together: the longest of their leases, and a round of the watchdog where it keeps one.
   * @param entering The end of one more, that is to come in.
   */
  needed(entering?: number): number {
    const ends = entering === undefined ? [...this.ends.values()] : [...this.ends.values(), entering];
    const leased = Math.max(...ends.filter((end) => Number.isFinite(end))) - this.scheduler.now();
    const watched = ends.includes(Number.POSITIVE_INFINITY) ? this.watchdogTimeout : 1;
    return Math.ceil(Math.max(leased, watched));
  }
}
