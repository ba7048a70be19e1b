import type { ScheduledTask } from '../../time/scheduler.js';
import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';

/** Initial length of a yield, ms: longer than a peer usually takes to receive an announcement and try. */
const SHORTEST_PATIENCE_MS = 1;
/** Longest yield, ms, after peers were too slow for shorter ones. */
const LONGEST_PATIENCE_MS = 8;
/** The longest delay with which our own announcement may arrive, ms. */
const LONGEST_ECHO_MS = 20;

/**
 * Lets other clients (peers) go first after a release. The releasing client knows of it before all others and would win
 * every race, so it first waits for as many releases by peers as there are peers that received its announcement. If no
 * peer acquires, the yield ends after a few milliseconds, doubled each time, so that slow peers get their turn and the
 * lock is not kept idle for peers that never try. States: our turn → theirs (announcements are counted; a timer runs
 * while the lock seems to be free) → our turn.
 */
export class PeerYield {
  /** Number of peers that received the last release; `undefined`: unknown. */
  private peers: number | undefined;
  /** Announcements to let pass before the one that ends the yield; our own announcement counts. */
  private announcementsToPass = 0;
  /** Whether this client acquired the lock since its last release. */
  private isOurs = false;
  /** Number of our own announcements still to arrive, and the time until which they may, ms. */
  private echoes = 0;
  private echoUntil = Number.NEGATIVE_INFINITY;
  private timer: ScheduledTask | undefined;
  private yieldTime = SHORTEST_PATIENCE_MS;
  private yieldedInVain = false;

  /** @param onOurTurn Called when the yield ends. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly onOurTurn: () => void,
  ) {}

  /** Whether peers go first at the moment. */
  get isYielding(): boolean {
    return this.timer !== undefined;
  }

  /** Called before a release is sent. @param hears Whether this client will receive its announcement, too. */
  beforeRelease(hears: boolean): void {
    this.isOurs = false;
    if (hears) this.expectEcho();
    else this.expectNoEcho();
    if (this.peers === 0) this.onOurTurn();
    else this.begin(this.expected);
  }

  /** No client is known to have received the release: the next announcement may be a peer's. */
  releaseWasSilent(): void {
    if (this.echoes > 0) this.echoes -= 1;
  }

  /** @param others Number of peers that received the release. */
  afterRelease(others: number): void {
    const more = others - this.expected;
    this.peers = others;
    if (!this.isYielding) return;
    this.announcementsToPass += more;
    if (others === 0 || this.announcementsToPass < 0) this.end();
  }

  /** Yields after a release that `others` peers received, but not this client. */
  yieldTo(others: number): void {
    this.peers = others;
    this.begin(others - 1);
  }

  /** Called when a release is announced: our own, or a peer's. */
  onAnnouncement(): 'own' | 'other' {
    this.dropLateEchoes();
    if (this.echoes === 0) {
      this.pass();
      return 'other';
    }
    this.echoes -= 1;
    // No news: we acquired the lock again after that release, or released it once more.
    if (!this.isOurs && this.echoes === 0) this.pass();
    return 'own';
  }

  /** Called when an attempt finds that a peer holds the lock. */
  peerAcquired(): void {
    this.yieldedInVain = false;
    this.yieldTime = SHORTEST_PATIENCE_MS;
  }

  /** Called when this client acquires the lock, which ends any yield. */
  acquired(): void {
    if (this.yieldedInVain) this.yieldTime = Math.min(2 * this.yieldTime, LONGEST_PATIENCE_MS);
    this.yieldedInVain = false;
    this.isOurs = true;
    this.forget();
  }

  forget(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.announcementsToPass = 0;
  }

  /** Number of peers expected to receive a release; one until a release has been counted. */
  private get expected(): number {
    return this.peers ?? 1;
  }

  /** Called when our own earlier announcements can no longer arrive. */
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

  /** Counts one announcement. */
  private pass(): void {
    if (this.announcementsToPass > 0) this.begin(this.announcementsToPass - 1);
    else this.end();
  }

  private begin(announcements: number): void {
    this.timer?.cancel();
    this.announcementsToPass = announcements;
    this.timer = this.scheduler.schedule(this.yieldTime, () => this.onTimeout(), { keepAlive: true });
  }

  /** Lets this client try. The count is kept: if a peer holds the lock after all, the yield goes on with its release. */
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
