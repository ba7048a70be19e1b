import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';

/** The longest delay with which our own announcement may arrive, ms. */
const MAX_DELAY_MS = 20;

/** Counts the announcements of our own releases that are still to arrive, to tell them from those of other clients. */
class OwnAnnouncements {
  private expected = 0;
  private expectedUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly scheduler: MonotonicScheduler) {}

  /** Called before a release whose announcement this client will receive. */
  expect(): void {
    this.dropLate();
    this.expected += 1;
    this.expectedUntil = this.scheduler.now() + MAX_DELAY_MS;
  }

  /** Called when earlier announcements can no longer arrive. */
  expectNone(): void {
    this.expected = 0;
  }

  /** Called when no client received the announcement that was expected last. */
  expectOneLess(): void {
    if (this.expected > 0) this.expected -= 1;
  }

  /** Called when an announcement arrives. Returns whose it is: that of our last release, an older one, or a peer's. */
  receive(): 'last' | 'older' | 'other' {
    this.dropLate();
    if (this.expected === 0) return 'other';
    this.expected -= 1;
    return this.expected === 0 ? 'last' : 'older';
  }

  private dropLate(): void {
    if (this.scheduler.now() >= this.expectedUntil) this.expectNone();
  }
}

/** Initial length of a yield, ms: longer than a peer usually takes to receive an announcement and try. */
const MIN_YIELD_MS = 1;
/** Longest yield, ms, after peers were too slow for shorter ones. */
const MAX_YIELD_MS = 8;

/** A release is on its way, by which the server may give the lock to this client or to a peer: its reply tells. */
interface Releasing {
  readonly name: 'releasing';
  /** Announcements since it was sent. */
  announced: number;
}

/** Peers go first. */
interface Yielding {
  readonly name: 'yielding';
  /** Announcements to let pass before the one that ends the yield; our own announcement counts. */
  announcementsToPass: number;
  /** Ends the yield, since the lock seems to be free. */
  readonly timer: ScheduledTask;
}

/**
 * our turn → yielding → our turn, or yielding → overdue → yielding. overdue: the peers took too long, so this client
 * may ask; if a peer holds the lock after all, the yield goes on with its release. acquired: this client has acquired
 * the lock since its last release. releasing → yielding, if the lock is free and peers were told; else → our turn.
 */
type YieldState =
  | { readonly name: 'our turn' | 'acquired' }
  | Releasing
  | Yielding
  | { readonly name: 'overdue'; readonly announcementsToPass: number };

const OUR_TURN = { name: 'our turn' } as const;
const ACQUIRED = { name: 'acquired' } as const;

/**
 * Lets other clients (peers) go first after a release. The releasing client knows of it before all others and would win
 * every race, so it first waits for as many releases by peers as there are peers that received its announcement. If no
 * peer acquires, the yield ends after a few milliseconds, doubled each time, so that slow peers get their turn and the
 * lock is not kept idle for peers that never try. See docs/architecture.md#hand-over-passing-on-and-yield.
 */
export class PeerYield {
  private state: YieldState = OUR_TURN;
  /** Number of peers that received the last release; `undefined`: unknown. */
  private peers: number | undefined;
  private readonly ownAnnouncements: OwnAnnouncements;
  private yieldTime = MIN_YIELD_MS;
  /** Whether a yield became overdue, and no peer has been seen to acquire since. */
  private yieldedInVain = false;

  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly listener: { onOurTurn(): void },
  ) {
    this.ownAnnouncements = new OwnAnnouncements(scheduler);
  }

  /** Whether peers go first at the moment. */
  get isYielding(): boolean {
    return this.state.name === 'yielding';
  }

  /**
   * Called before a release is sent.
   * @param hears Whether this client will receive its announcement, too.
   * @param isWaiting Whether it waits on the server, so that the reply tells who has the lock.
   */
  beforeRelease(hears: boolean, isWaiting = false): void {
    if (this.state.name === 'acquired') this.state = OUR_TURN;
    if (hears) this.ownAnnouncements.expect();
    else this.ownAnnouncements.expectNone();
    if (isWaiting) {
      this.forget();
      this.state = { name: 'releasing', announced: 0 };
    } else if (this.peers === 0) this.listener.onOurTurn();
    else this.begin(this.expectedPeers);
  }

  /** No client is known to have received the release: the next announcement may be a peer's. */
  releaseWasSilent(): void {
    this.ownAnnouncements.expectOneLess();
  }

  /** Called after a release that was not announced, since a client was given the lock. */
  passedOn(): void {
    const { state } = this;
    this.ownAnnouncements.expectOneLess();
    // That client released before the reply to our release came, or this one did not wait on the server yet.
    const mustAsk = state.name === 'yielding' || (state.name === 'releasing' && state.announced > 0);
    this.forget();
    if (mustAsk) this.listener.onOurTurn();
  }

  /** @param others Number of peers that received the release. */
  afterRelease(others: number): void {
    const { state, expectedPeers } = this;
    this.peers = others;
    if (state.name !== 'releasing' && state.name !== 'yielding') return;
    const left =
      state.name === 'releasing' ? others - state.announced : state.announcementsToPass + others - expectedPeers;
    if (others === 0 || left < 0) this.end();
    else if (state.name === 'releasing') this.begin(left);
    else state.announcementsToPass = left;
  }

  /** Yields after a release that `others` peers received, but not this client. */
  yieldTo(others: number): void {
    this.peers = others;
    this.begin(others - 1);
  }

  /** Called when a release is announced: our own, or a peer's. */
  onAnnouncement(): 'own' | 'other' {
    const whose = this.ownAnnouncements.receive();
    // No news: we released once more after that release, or acquired the lock again.
    if (whose === 'older' || (whose === 'last' && this.state.name === 'acquired')) return 'own';
    this.pass();
    return whose === 'last' ? 'own' : 'other';
  }

  /** Called when an attempt finds that a peer holds the lock. */
  peerAcquired(): void {
    this.yieldedInVain = false;
    this.yieldTime = MIN_YIELD_MS;
  }

  /** Called when this client acquires the lock, which ends any yield. */
  acquired(): void {
    if (this.yieldedInVain) this.yieldTime = Math.min(2 * this.yieldTime, MAX_YIELD_MS);
    this.yieldedInVain = false;
    this.forget();
    this.state = ACQUIRED;
  }

  /** Ends a yield that has begun, without a call. The reply to a release that is on its way may begin another. */
  cancel(): void {
    if (this.state.name !== 'releasing') this.forget();
  }

  /** Ends any yield without a call. */
  private forget(): void {
    if (this.state.name === 'yielding') this.state.timer.cancel();
    if (this.state.name !== 'acquired') this.state = OUR_TURN;
  }

  /** Called when our own earlier announcements can no longer arrive. */
  expectNoEcho(): void {
    this.ownAnnouncements.expectNone();
  }

  /** Number of peers expected to receive a release; one until a release has been counted. */
  private get expectedPeers(): number {
    return this.peers ?? 1;
  }

  /** Counts one announcement. */
  private pass(): void {
    if (this.state.name === 'releasing') {
      this.state.announced += 1;
      return;
    }
    const announcementsToPass = 'announcementsToPass' in this.state ? this.state.announcementsToPass : 0;
    if (announcementsToPass > 0) this.begin(announcementsToPass - 1);
    else this.end();
  }

  private begin(announcementsToPass: number): void {
    this.forget();
    const timer = this.scheduler.schedule(this.yieldTime, () => this.onOverdue(), { keepAlive: true });
    this.state = { name: 'yielding', announcementsToPass, timer };
  }

  private onOverdue(): void {
    this.yieldedInVain = true;
    if (this.state.name === 'yielding')
      this.state = { name: 'overdue', announcementsToPass: this.state.announcementsToPass };
    this.listener.onOurTurn();
  }

  private end(): void {
    this.forget();
    this.listener.onOurTurn();
  }
}
