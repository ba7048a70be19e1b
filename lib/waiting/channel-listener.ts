import type { Subscriber, Subscription, PubSub } from '../backend/pubsub.js';
import { LockUnavailableError } from '../errors.js';

/** Receives what a {@link ChannelListener} hears. */
export interface ChannelReceiver {
  /** Called for every message; without one when messages may have been missed. */
  onMessage(message: string | undefined, from: ChannelListener): void;
  /** Called once subscribed, since a message before that may have been missed. Absent: `onMessage` is. */
  onSubscribed?(): void;
  /** Called if the first subscription cannot begin for now, or takes too long: messages are missed meanwhile. */
  onUnsubscribed?(): void;
  /** Called if the server denies this user the channel. Absent: the next call of `listen()` tries again. */
  onDenied?(listener: ChannelListener): void;
  /** Called with errors other than a temporarily unavailable connection. */
  onFailed(error: unknown): void;
}

/** Listens to one channel, as soon as and as long as a subscription is possible. */
export class ChannelListener implements Subscriber {
  private state: 'new' | 'beginning' | 'unsubscribed' | 'subscribing' | 'subscribed' | 'closed' = 'new';
  /** While subscribed. */
  private subscription: Subscription | undefined = undefined;

  constructor(
    private readonly pubSub: PubSub,
    private readonly channel: string,
    private readonly receiver: ChannelReceiver,
  ) {}

  /** False while messages may be missed. */
  get isSubscribed(): boolean {
    return this.subscription?.alive === true;
  }

  /** Whether messages are heard, or soon will be, because the first subscription is on its way: no need to poll. */
  get isHearing(): boolean {
    return this.state === 'beginning' || this.isSubscribed;
  }

  /** Whether it is not closed. */
  get isInterested(): boolean {
    return this.state !== 'closed';
  }

  /** Subscribes unless subscribed already. After a failure, the next call tries again. */
  listen(): void {
    if (this.state !== 'new' && this.state !== 'unsubscribed') return;
    this.state = this.state === 'new' ? 'beginning' : 'subscribing';
    this.pubSub
      // A function of its own: backends tell listeners apart by it.
      .subscribe(this.channel, (message) => this.receiver.onMessage(message, this), this)
      .then((subscription) => this.opened(subscription))
      .catch((error: unknown) => this.failed(error));
  }

  close(): void {
    this.state = 'closed';
    this.subscription?.cancel();
    this.subscription = undefined;
  }

  private opened(subscription: Subscription): void {
    if (this.state === 'closed') {
      subscription.cancel();
      return;
    }
    this.state = 'subscribed';
    this.subscription = subscription;
    // Otherwise it begins later, with a message.
    if (!subscription.alive) this.receiver.onUnsubscribed?.();
    else if (this.receiver.onSubscribed) this.receiver.onSubscribed();
    else this.receiver.onMessage(undefined, this);
  }

  private failed(error: unknown): void {
    const { state } = this;
    if (state === 'beginning' || state === 'subscribing') this.state = 'unsubscribed';
    if (!(error instanceof LockUnavailableError)) {
      this.receiver.onFailed(error);
      return;
    }
    if (state === 'beginning') this.receiver.onUnsubscribed?.();
    if (error.permanent && error.outcome === 'refused') this.receiver.onDenied?.(this);
  }
}
