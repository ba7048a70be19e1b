import type { ReleaseOutcome } from '../../backend/lock-operations.js';
import type { Busy } from '../attempt-strategy.js';
import type { Polling, WaitDependencies } from '../acquirer.js';
import { ChannelListener, type ChannelReceiver } from '../channel-listener.js';
import { PeerYield } from './peer-yield.js';
import type { OwnerId } from '../../context/owner-ids.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';

/**
 * Number of clients that received the announcement of a release. One of unknown outcome may have announced nothing: the
 * next announcement must not be taken for ours.
 */
export const notifiedBy = (outcome: ReleaseOutcome | undefined): number =>
  outcome?.outcome === 'released' ? (outcome.heard ?? 0) : 0;

/** How many of them ask for the lock now; this client included if it cannot be given the lock. */
export const askersAfter = (outcome: ReleaseOutcome | undefined): number =>
  outcome?.outcome === 'released' ? (outcome.asking ?? outcome.heard ?? 0) : 0;

/** How a wait queue learns of releases, and when it may ask the server after a release by this process. */
export interface Releases {
  /**
   * Whether a lock may pass to the next waiter without a release. Only if the release that follows is sure to wake the
   * contender, which does not ask in the meantime.
   */
  readonly allowHandOver: boolean;
  /** Whether other processes go first at the moment. */
  readonly isYielding: boolean;
  /** How long the contender may sleep if no release becomes known, ms. */
  readonly pollInterval: number;
  /**
   * Whether all releases become known. Only then may this client wait on the server, which does not always give a free
   * lock to it.
   */
  readonly isListening: boolean;
  /** Listens for releases from now on, if they are announced. */
  listen(): void;
  /**
   * Called before a lock held in this process is released on the server.
   * @param isGiven Whether this client can be given the lock, so that it need not ask.
   */
  beforeRelease(isGiven: boolean): void;
  /**
   * Called after the release. `notified` clients received its announcement, this one included if it is subscribed;
   * `others` of them, besides this one, ask for the lock now.
   */
  afterRelease(notified: number, others: number): void;
  /** Called after a release that was not announced, since another client was given what was released. */
  passedOn(): void;
  /** Called after a release with an entry that was followed by another one, if it is not known to be announced. */
  releaseWasSilent(): void;
  /** Called after a release without local waiters, after which `others` clients ask for the lock. */
  yieldTo(others: number): void;
  /** Ends a yield. Nothing is reported. */
  cancelYield(): void;
  /** Called when an attempt succeeded. @param outcome The state other waiters should assume after it. */
  acquired(outcome: Busy | undefined): void;
  /** Called when an attempt acquired nothing. */
  foundBusy(busy: Busy): void;
  close(): void;
}

/** Listener to the {@link Releases} of a queue. */
export interface ReleaseListener {
  /** Another process released, or may have: the reply to an attempt in flight may predate that. */
  onReleaseByOther(): void;
  /** The hold of another ends after so many ms, maybe without a release: a client was given it, or its lease was shortened. */
  onLease(ms: number): void;
  /** This process may ask the server now. */
  onOurTurn(): void;
  /** Releases cannot become known; repeating does not help. */
  onFailed(error: unknown): void;
}

/** The messages of Redisson for releases of locks are 0 and 1. */
const MAX_RELEASE = 1;

/** Rest of the present lease by a message about a lock, ms; `undefined`: it tells of a release, or of nothing. */
export const leaseIn = (message: string | undefined): number | undefined => {
  const lease = Number(message);
  return lease > MAX_RELEASE ? lease : undefined;
};

/** Releases that are announced on a channel. After one of our own, other processes go first: see {@link PeerYield}. */
export class AnnouncedReleases implements Releases, ChannelReceiver {
  readonly allowHandOver = true;
  private readonly channel: ChannelListener;
  private readonly peerYield: PeerYield;
  private readonly polling: Polling;

  /** @param hearsLeases As in `AttemptStrategy`. */
  constructor(
    channel: string,
    { scheduler, pubSub, polling }: WaitDependencies,
    private readonly listener: ReleaseListener,
    private readonly hearsLeases = false,
  ) {
    this.polling = polling;
    this.peerYield = new PeerYield(scheduler, listener);
    this.channel = new ChannelListener(pubSub, channel, this);
  }

  get isYielding(): boolean {
    return this.peerYield.isYielding;
  }

  get pollInterval(): number {
    const { subscribed, unsubscribed } = this.polling;
    return this.channel.isHearing ? subscribed : unsubscribed;
  }

  get isListening(): boolean {
    return this.channel.isSubscribed;
  }

  listen(): void {
    this.channel.listen();
  }

  beforeRelease(isGiven: boolean): void {
    this.peerYield.beforeRelease(this.isListening, isGiven);
  }

  afterRelease(notified: number, others: number): void {
    if (notified === 0) this.peerYield.releaseWasSilent();
    this.peerYield.afterRelease(others);
  }

  passedOn(): void {
    this.peerYield.passedOn();
  }

  releaseWasSilent(): void {
    this.peerYield.releaseWasSilent();
  }

  yieldTo(others: number): void {
    this.peerYield.yieldTo(others);
  }

  cancelYield(): void {
    this.peerYield.cancel();
  }

  acquired(): void {
    this.peerYield.acquired();
  }

  foundBusy(): void {
    this.peerYield.peerAcquired();
  }

  close(): void {
    this.channel.close();
  }

  onMessage(message: string | undefined): void {
    const lease = this.hearsLeases ? leaseIn(message) : undefined;
    if (lease === undefined) this.onAnnouncement();
    else this.listener.onLease(lease);
  }

  /** Announcements from before the subscription may have been missed. */
  onSubscribed(): void {
    this.listener.onReleaseByOther();
    this.peerYield.expectNoEcho();
    this.onUnsubscribed();
  }

  /** The contender sleeps as if it heard of releases. */
  onUnsubscribed(): void {
    // During a yield, its timer wakes the contender soon enough.
    if (!this.isYielding) this.listener.onOurTurn();
  }

  onFailed(error: unknown): void {
    this.listener.onFailed(error);
  }

  private onAnnouncement(): void {
    // Our own release, which the last successful attempt followed, is no news, however late its announcement arrives.
    if (this.peerYield.onAnnouncement() !== 'own') this.listener.onReleaseByOther();
  }
}

/** How long this process may go first, ms: the longest pause of the default backoff. */
const MAX_PREFERENCE_MS = 128;

/**
 * Releases that are not announced. After one of our own, the next waiter knows of it and asks at once; the release is
 * confirmed first, so other processes may find the lock free in between. After {@link MAX_PREFERENCE_MS} the next waiter
 * sleeps for its backoff as other processes do. Otherwise a process that always has waiters would never let go of the
 * lock.
 */
export class UnannouncedReleases implements Releases {
  readonly allowHandOver = false;
  readonly isYielding = false;
  readonly isListening = false;
  readonly pollInterval: number;
  private readonly scheduler: MonotonicScheduler;
  /** Time of the first of our releases since another process had the lock, ms. */
  private preferredSince: number | undefined;
  /** The owner of the last grant to this process. */
  private ownOwner: OwnerId | undefined;

  constructor(
    { scheduler, polling }: Pick<WaitDependencies, 'scheduler' | 'polling'>,
    private readonly listener: Pick<ReleaseListener, 'onOurTurn'>,
  ) {
    this.scheduler = scheduler;
    this.pollInterval = polling.unsubscribed;
  }

  afterRelease(): void {
    const now = this.scheduler.now();
    this.preferredSince ??= now;
    if (now - this.preferredSince <= MAX_PREFERENCE_MS) this.listener.onOurTurn();
    else this.preferredSince = undefined;
  }

  acquired(outcome: Busy | undefined): void {
    this.ownOwner = outcome?.holder;
  }

  foundBusy({ holder }: Busy): void {
    if (holder !== this.ownOwner) this.preferredSince = undefined;
  }

  listen(): void {}
  beforeRelease(): void {}
  passedOn(): void {}
  releaseWasSilent(): void {}
  yieldTo(): void {}
  cancelYield(): void {}
  close(): void {}
}
