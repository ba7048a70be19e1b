import type { Subscription, PubSub } from '../backend/lock-backend.js';
import { LockUnavailableError } from '../errors.js';

/** Listens to one channel, as soon as and as long as a subscription is possible. */
export class ChannelListener {
  private subscription: Subscription | undefined;
  private subscribing = false;
  private closed = false;

  /**
   * @param onMessage Called for every message, and once subscribed: a message before that may have been missed.
   * @param onError Called with errors other than a temporarily unavailable connection.
   * @param onSubscribed Called instead of `onMessage` once subscribed.
   */
  constructor(
    private readonly pubSub: PubSub,
    private readonly channel: string,
    private readonly onMessage: () => void,
    private readonly onError: (error: unknown) => void,
    private readonly onSubscribed: () => void = onMessage,
  ) {}

  /** False while messages may be missed. */
  get isSubscribed(): boolean {
    return this.subscription?.alive ?? false;
  }

  /** Subscribes unless subscribed already. After a failure, the next call tries again. */
  listen(): void {
    if (this.subscription || this.subscribing || this.closed) return;
    this.subscribing = true;
    this.pubSub
      .subscribe(this.channel, this.onMessage)
      .then((subscription) => this.opened(subscription))
      .catch((error: unknown) => {
        if (!(error instanceof LockUnavailableError)) this.onError(error);
      })
      .finally(() => {
        this.subscribing = false;
      });
  }

  close(): void {
    this.closed = true;
    this.subscription?.cancel();
  }

  private opened(subscription: Subscription): void {
    this.subscription = subscription;
    if (this.closed) subscription.cancel();
    else this.onSubscribed();
  }
}
