import type { ScheduledTask } from '../time/scheduler.js';
import type { MonotonicScheduler } from '../time/monotonic-scheduler.js';

/** How long the others are waited for at first, ms: longer than they usually take to hear of a release and to ask. */
const SHORTEST_PATIENCE_MS = 1;
/** And at the most, where they were too slow before. */
const LONGEST_PATIENCE_MS = 8;
/** How late the announcement of our own release may reach us, ms. */
const LONGEST_ECHO_MS = 20;

/**
 * Lets other clients go first after a release. Who releases knows of it before everybody else, and would win every race;
 * so it lets as many releases pass as others were told of its own, one for each of them. Where they do not come it waits
 * no longer than a few milliseconds, twice as long each time, so that the slow are served as well, and the lock is not
 * idle for those who never come. States: our turn → theirs (announcements are counted; a timer runs while
 * it seems to be free) → our turn.
 */
export class PeerYield {
  /** How many others were told of the last release; `undefined`: nobody knows. */
  private peers: number | undefined;
  /** Announcements still to pass, that of our own release included. */
  private turns = 0;
  /** Whether we have got it since we released it last. */
  private isOurs = false;
  /** How many of our own releases are still to be announced to us, and until when that may be, ms. */
  private echoes = 0;
  private echoUntil = Number.NEGATIVE_INFINITY;
  private timer: ScheduledTask | undefined;
  private yieldTime = SHORTEST_PATIENCE_MS;
  private yieldedInVain = false;

  /** @param onOurTurn Called when it is our turn. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly onOurTurn: () => void,
  ) {}

  /** Whether it is the turn of others. */
  get isYielding(): boolean {
    return this.timer !== undefined;
  }

  /** A release is about to be sent. @param hears Whether we shall hear its announcement as well. */
  beforeRelease(hears: boolean): void {
    this.isOurs = false;
    if (hears) this.expectEcho();
    else this.expectNoEcho();
    if (this.peers === 0) this.onOurTurn();
    else this.begin(this.expected);
  }

  /** The release that was sent was announced to nobody that we know of: the next announcement may be another's. */
  releaseWasSilent(): void {
    if (this.echoes > 0) this.echoes -= 1;
  }

  /** @param others How many other clients were told of the release that was sent. */
  afterRelease(others: number): void {
    const more = others - this.expected;
    this.peers = others;
    if (!this.isYielding) return;
    this.turns += more;
    if (others === 0 || this.turns < 0) this.end();
  }

  /** So many others were told of a release whose announcement we did not hear. */
  yieldTo(others: number): void {
    this.peers = others;
    this.begin(others - 1);
  }

  /** A release was announced: our own, or somebody else's. */
  onAnnouncement(): 'own' | 'other' {
    this.dropLateEchoes();
    if (this.echoes === 0) {
      this.pass();
      return 'other';
    }
    this.echoes -= 1;
    // A release after which we got it again, or have released it once more, is no news.
    if (!this.isOurs && this.echoes === 0) this.pass();
    return 'own';
  }

  /** Somebody else was found to have it. */
  peerAcquired(): void {
    this.yieldedInVain = false;
    this.yieldTime = SHORTEST_PATIENCE_MS;
  }

  /** We have got it: whose turn it was does not matter any more. */
  acquired(): void {
    if (this.yieldedInVain) this.yieldTime = Math.min(2 * this.yieldTime, LONGEST_PATIENCE_MS);
    this.yieldedInVain = false;
    this.isOurs = true;
    this.forget();
  }

  forget(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.turns = 0;
  }

  /** Before anybody has counted: nobody but us. */
  private get expected(): number {
    return this.peers ?? 1;
  }

  /** What was announced so far we shall not hear any more. */
  expectNoEcho(): void {
    this.echoes = 0;
  }

  private expectEcho(): void {
    this.dropLateEchoes();
    this.echoes += 1;
    this.echoUntil = this.scheduler.now() + LONGEST_ECHO_MS;
  }

  private dropLateEchoes(): void {
    if (this.scheduler.now() >= this.echoUntil) this.expectNoEcho();
  }

  /** One of the turns of others has come. */
  private pass(): void {
    if (this.turns > 0) this.begin(this.turns - 1);
    else this.end();
  }

  private begin(turns: number): void {
    this.timer?.cancel();
    this.turns = turns;
    this.timer = this.scheduler.schedule(this.yieldTime, () => this.onTimeout(), { keepAlive: true });
  }

  /** We ask. Where we find that somebody has it after all, it goes on being the turn of others. */
  private onTimeout(): void {
    this.yieldedInVain = true;
    this.timer = undefined;
    this.onOurTurn();
  }

  private end(): void {
    this.forget();
    this.onOurTurn();
  }
}
