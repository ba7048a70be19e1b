import type { GrantChannel, ReceivedGrant } from '../../backend/kinds/lock/granting-lock.js';
import { ChannelListener, type ChannelReceiver } from '../channel-listener.js';
import { leaseIn } from '../queue/releases.js';
import type { FairWaiting } from './fair-waiter.js';

/** Receives what a {@link GrantListener} hears. */
interface GrantReceiver {
  /** The lock was given to a waiter of this process. */
  given(grant: ReceivedGrant): void;
  /** A waiter of this process may have been given the lock, or told to ask for it: asking tells. */
  missed(): void;
  /** The lock, held by another process, ends after so many ms, maybe without a release. */
  lease(ms: number): void;
  /** Listening failed for good. */
  failed(error: unknown): void;
}

/** Hears which waiters of this process are given one fair lock: one channel for all of them. */
export class GrantListener implements ChannelReceiver {
  private readonly channel: GrantChannel | undefined;
  private readonly listener: ChannelListener | undefined;

  constructor(
    name: string,
    { locks, owners, pubSub, isGiven }: FairWaiting,
    private readonly receiver: GrantReceiver,
  ) {
    this.channel = isGiven ? locks.grantChannel(name, owners.clientId) : undefined;
    if (this.channel) this.listener = new ChannelListener(pubSub, this.channel.name, this);
  }

  /** Whether waiters of this process can be given the lock: otherwise they are told, each on its own channel. */
  get isPossible(): boolean {
    return this.listener !== undefined;
  }

  /** False while grants may be missed, and it is not known that they soon will be heard. */
  get isHearing(): boolean {
    return this.listener?.isHearing ?? false;
  }

  listen(): void {
    this.listener?.listen();
  }

  close(): void {
    this.listener?.close();
  }

  onMessage(message: string | undefined): void {
    const grant = message === undefined ? undefined : this.channel?.read(message);
    const lease = leaseIn(message);
    if (grant) this.receiver.given(grant);
    else if (lease === undefined) this.receiver.missed();
    else this.receiver.lease(lease);
  }

  onUnsubscribed(): void {
    this.receiver.missed();
  }

  onFailed(error: unknown): void {
    this.receiver.failed(error);
  }
}
