import type { MessageListener, Subscriber, Subscription, PubSub } from '../backend/lock-backend.js';
import { LockUnavailableError } from '../errors.js';

/** Listens to one channel, as soon as and as long as a subscription is possible. */
export class ChannelListener implements Subscriber {
  private state: 'unsubscribed' | 'subscribing' | 'subscribed' | 'closed' = 'unsubscribed';
  /** While subscribed. */
  private subscription: Subscription | undefined = undefined;

  /**
   * @param onMessage Called for every message, and once subscribed: a message before that may have been missed.
   * @param onError Called with errors other than a temporarily unavailable connection.
   * @param onSubscribed Called instead of `onMessage` once subscribed.
   */
  constructor(
    private readonly pubSub: PubSub,
    private readonly channel: string,
    private readonly onMessage: MessageListener,
    private readonly onError: (error: unknown) => void,
    private readonly onSubscribed: () => void = () => onMessage(),
  ) {}

  /** False while messages may be missed. */
  get isSubscribed(): boolean {
    return this.subscription?.alive === true;
  }

  /** Whether it is not closed. */
  get isInterested(): boolean {
    return this.state !== 'closed';
  }

  /** Subscribes unless subscribed already. After a failure, the next call tries again. */
  listen(): void {
    if (this.state !== 'unsubscribed') return;
    this.state = 'subscribing';
    this.pubSub
      .subscribe(this.channel, this.onMessage, this)
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
    // Otherwise it begins later, with a call of `onMessage`.
    if (!subscription.alive) return;
    this.onSubscribed();
  }

  private failed(error: unknown): void {
    if (this.state === 'subscribing') this.state = 'unsubscribed';
    if (!(error instanceof LockUnavailableError)) this.onError(error);
  }
}
