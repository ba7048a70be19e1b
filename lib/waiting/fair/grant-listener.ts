import type { GrantChannel, ReceivedGrant } from '../../backend/granting-lock-operations.js';
import { ChannelListener } from '../channel-listener.js';
import { MAX_RELEASE } from '../queue/announced-releases.js';
import type { FairWaiting } from './fair-waiter.js';

/** Receives what a {@link GrantListener} hears. */
export interface GrantReceiver {
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
export class GrantListener {
  private readonly channel: GrantChannel | undefined;
  private readonly listener: ChannelListener | undefined;

  constructor(
    name: string,
    { locks, owners, pubSub, isGiven }: FairWaiting,
    private readonly receiver: GrantReceiver,
  ) {
    this.channel = isGiven ? locks.grantChannel(name, owners.clientId) : undefined;
    if (!this.channel) return;
    const onMessage = (message?: string): void => this.onMessage(message);
    this.listener = new ChannelListener(pubSub, this.channel.name, onMessage, (error) => receiver.failed(error));
  }

  /** Whether waiters of this process can be given the lock: otherwise they are told, each on its own channel. */
  get isPossible(): boolean {
    return this.listener !== undefined;
  }

  /** False while grants may be missed. */
  get isListening(): boolean {
    return this.listener?.isSubscribed ?? false;
  }

  listen(): void {
    this.listener?.listen();
  }

  close(): void {
    this.listener?.close();
  }

  private onMessage(message: string | undefined): void {
    const grant = message === undefined ? undefined : this.channel?.read(message);
    const lease = Number(message);
    if (grant) this.receiver.given(grant);
    else if (lease > MAX_RELEASE) this.receiver.lease(lease);
    else this.receiver.missed();
  }
}
