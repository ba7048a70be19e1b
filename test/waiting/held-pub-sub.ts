import type { MessageListener, PubSub, Subscription } from '../../lib/backend/pubsub.js';
import { HeldRequests } from './held-requests.js';

/** Channels whose subscriptions the test confirms, and on which it publishes. */
export class HeldPubSub implements PubSub {
  /** The names of the requested channels. The reply says whether the subscription is alive. */
  readonly subscribes = new HeldRequests<string, boolean>();
  private readonly listeners = new Map<string, MessageListener>();

  async subscribe(channel: string, listener: MessageListener): Promise<Subscription> {
    const alive = await this.subscribes.send(channel);
    this.listeners.set(channel, listener);
    return { alive, cancel: () => void this.listeners.delete(channel) };
  }

  /** The channels that have listeners. */
  get channels(): readonly string[] {
    return [...this.listeners.keys()];
  }

  /** Notifies the listener of a channel. Fails if it has none. */
  publish(channel: string, message?: string): void {
    const listener = this.listeners.get(channel);
    if (!listener) throw new Error(`Nobody listens to ${channel}`);
    listener(message);
  }
}
