import type { Polling, WaitDependencies } from '../acquirer.js';
import { ChannelListener, type ChannelReceiver } from '../channel-listener.js';
import { PeerYield } from './peer-yield.js';
import type { ReleaseListener, Releases } from './releases.js';

/** The messages of Redisson for releases of locks are 0 and 1. */
const MAX_RELEASE = 1;

/** What is left of the present lease by a message about a lock, ms; `undefined`: it tells of a release, or of nothing. */
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
