import { LinkedList, ListNode } from '../../../linked-list.js';
import type { MessageListener, Subscriber, Subscription } from '../../pubsub.js';

/** A channel of one connection, with its listeners. There may be thousands, nearly all with a single listener. */
export class Channel extends LinkedList<ChannelSubscription> {
  /** Whether the server has acknowledged the subscription on the present connection. */
  live = false;
  /** Whether the server may have the subscription, or is to get it with the next connection. */
  isBegun = false;

  constructor(readonly name: string) {
    super();
  }

  /** Whether a subscriber is left that wants the subscription. */
  get isWanted(): boolean {
    for (const { isWanted } of this) if (isWanted) return true;
    return false;
  }

  wake(message?: string): void {
    for (const { onMessage } of [...this]) onMessage(message);
  }
}

/** One listener of a channel. */
export class ChannelSubscription extends ListNode<ChannelSubscription> implements Subscription {
  constructor(
    private readonly channel: Channel,
    readonly onMessage: MessageListener,
    private readonly subscriber: Subscriber | undefined,
    private readonly onUnused: (channel: Channel) => void,
  ) {
    super();
    channel.append(this);
  }

  get alive(): boolean {
    return this.channel.live;
  }

  get isWanted(): boolean {
    return this.subscriber?.isInterested ?? true;
  }

  cancel(): void {
    if (this.channel.delete(this) && this.channel.size === 0) this.onUnused(this.channel);
  }
}
