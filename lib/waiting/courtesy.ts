import type { ScheduledTask } from '../time/scheduler.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';

/** How long the others are waited for at first, ms: longer than they usually take to hear of a release and to ask. */
const SHORTEST_PATIENCE_MS = 1;
/** And at the most, where they were too slow before. */
const LONGEST_PATIENCE_MS = 8;

/**
 * Lets other clients go first after a release. Who releases knows of it before everybody else, and would win every race;
 * so it lets as many releases pass as others were told of its own, one for each of them. Where they do not come it waits
 * no longer than a few milliseconds, twice as long each time, so that the slow are served as well, and the lock is not
 * idle for those who never come. States: our turn → theirs (a timer runs) → our turn.
 */
export class Courtesy {
  /** How many others were told of the last release; `undefined`: nobody knows. */
  private others: number | undefined;
  /** Announcements of others that are still to pass. */
  private turns = 0;
  /** Announcements of our own that we are still to hear, and that are no news to us. */
  private echoes = 0;
  private timer: ScheduledTask | undefined;
  private patience = SHORTEST_PATIENCE_MS;
  private isInVain = false;

  /** @param onOver Called when it is our turn. */
  constructor(
    private readonly scheduler: SteadyScheduler,
    private readonly onOver: () => void,
  ) {}

  /** Whether it is the turn of others. */
  get isOpen(): boolean {
    return this.timer !== undefined;
  }

  /** @param hears Whether we hear the announcement of the release that is about to be sent. */
  releasing(hears: boolean): void {
    if (hears) this.echoes += 1;
    if (this.others === 0) this.onOver();
    else this.begin(this.expected);
  }

  /** @param others How many other clients were told of the release that was sent. */
  released(others: number): void {
    const more = Math.max(0, others - 1) - this.expected;
    this.others = others;
    if (!this.isOpen) return;
    this.turns = Math.max(0, this.turns + more);
    if (others === 0) this.end();
  }

  /** So many others were told of a release whose announcement we did not hear. */
  yieldTo(others: number): void {
    this.others = others;
    this.begin(others - 1);
  }

  /** A release was announced, whoever's: where ours is the later one, it is taken for the other's, which comes to the same. */
  heard(): void {
    if (this.echoes > 0) this.echoes -= 1;
    else if (this.turns > 0) this.begin(this.turns - 1);
    else this.end();
  }

  /** Somebody else was found to have it. From now on every announcement is news. */
  otherCame(): void {
    this.echoes = 0;
    this.isInVain = false;
    this.patience = SHORTEST_PATIENCE_MS;
  }

  /** We have got it: whose turn it was does not matter any more. */
  got(): void {
    if (this.isInVain) this.patience = Math.min(2 * this.patience, LONGEST_PATIENCE_MS);
    this.isInVain = false;
    this.forget();
  }

  forget(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.turns = 0;
  }

  /** How many turns are theirs, as far as is known; before anybody has counted, one. */
  private get expected(): number {
    return Math.max(0, (this.others ?? 1) - 1);
  }

  private begin(turns: number): void {
    this.timer?.cancel();
    this.turns = turns;
    this.timer = this.scheduler.schedule(this.patience, () => this.tooLate(), { keepAlive: true });
  }

  private tooLate(): void {
    this.isInVain = true;
    this.end();
  }

  private end(): void {
    this.forget();
    this.onOver();
  }
}
