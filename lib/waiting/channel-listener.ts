import type { MessageListener, Subscriber, Subscription, PubSub } from '../backend/lock-backend.js';
import { LockUnavailableError } from '../errors.js';

type ListenerState =
  | { readonly name: 'unsubscribed' | 'subscribing' | 'closed' }
  | { readonly name: 'subscribed'; readonly subscription: Subscription };

const UNSUBSCRIBED = { name: 'unsubscribed' } as const;
const SUBSCRIBING = { name: 'subscribing' } as const;
const CLOSED = { name: 'closed' } as const;

/** Listens to one channel, as soon as and as long as a subscription is possible. */
export class ChannelListener implements Subscriber {
  private state: ListenerState = UNSUBSCRIBED;

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
    return this.state.name === 'subscribed' && this.state.subscription.alive;
  }

  /** Whether it is not closed. */
  get isInterested(): boolean {
    return this.state.name !== 'closed';
  }

  /** Subscribes unless subscribed already. After a failure, the next call tries again. */
  listen(): void {
    if (this.state.name !== 'unsubscribed') return;
    this.state = SUBSCRIBING;
    this.pubSub
      .subscribe(this.channel, this.onMessage, this)
      .then((subscription) => this.opened(subscription))
      .catch((error: unknown) => this.failed(error));
  }

  close(): void {
    if (this.state.name === 'subscribed') this.state.subscription.cancel();
    this.state = CLOSED;
  }

  private opened(subscription: Subscription): void {
    if (this.state.name === 'closed') {
      subscription.cancel();
      return;
    }
    this.state = { name: 'subscribed', subscription };
    // Otherwise it begins later, with a call of `onMessage`.
    if (subscription.alive) this.onSubscribed();
  }

  private failed(error: unknown): void {
    if (this.state.name === 'subscribing') this.state = UNSUBSCRIBED;
    if (!(error instanceof LockUnavailableError)) this.onError(error);
  }
}
