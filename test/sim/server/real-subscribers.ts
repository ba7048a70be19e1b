import type { Redis } from 'ioredis';
import { connectAdmin } from '../../servers/redis/admin-connection.js';
import type { Listener, ListenerWatcher } from './simulated-store.js';

/** A message as the simulated server sent it. Text that a client ignores is left out in memory: `undefined`. */
interface Sent {
  readonly channel: string;
  readonly message: string | undefined;
}

const isSame = ({ channel, message }: Sent, heard: string): boolean =>
  message === undefined ? heard.startsWith(`${channel} `) : heard === `${channel} ${message}`;

/** A connection to the real server that listens to what one client of the simulated server listens to. */
class RealSubscriber {
  private readonly heard: string[] = [];
  private readonly sent: Sent[] = [];

  constructor(readonly client: Redis) {
    client.on('message', (channel: string, message: string) => this.heard.push(`${channel} ${message}`));
  }

  expect(channel: string, message: string | undefined): void {
    this.sent.push({ channel, message });
  }

  /** Returns the messages of both servers since the last call if they differ. */
  async difference(): Promise<string | undefined> {
    // The messages that the real server has sent arrive before its reply.
    await this.client.ping();
    const sent = this.sent.splice(0);
    const heard = this.heard.splice(0);
    if (sent.length === heard.length && sent.every((each, index) => isSame(each, heard[index] ?? ''))) return undefined;
    return `sends ${JSON.stringify(heard)} on Redis and ${JSON.stringify(sent)} in memory`;
  }
}

/**
 * Makes the clients of a real server those of the simulated one: each listener has a connection of its own, which
 * subscribes and unsubscribes at the same instants, since scripts count the listeners of a channel. Each has to get the
 * same messages.
 */
export class RealSubscribers implements ListenerWatcher {
  private readonly subscribers = new Map<Listener, RealSubscriber>();
  /** Connections without subscriptions. */
  private readonly spare: RealSubscriber[] = [];

  /** @param settle Stops the time of the simulation until a promise has settled. */
  settle: (work: Promise<unknown>) => void = () => {};

  constructor(private readonly url: string) {}

  onListen(channel: string, listener: Listener): void {
    this.settle(this.of(listener).client.subscribe(channel));
  }

  onUnlisten(channel: string, listener: Listener): void {
    const subscriber = this.subscribers.get(listener);
    if (subscriber) this.settle(subscriber.client.unsubscribe(channel));
  }

  onGone(listener: Listener): void {
    const subscriber = this.subscribers.get(listener);
    if (!subscriber) return;
    this.subscribers.delete(listener);
    this.settle(this.free(subscriber));
  }

  onMessage(channel: string, message: string | undefined, listener: Listener): void {
    this.of(listener).expect(channel, message);
  }

  /** The messages since the last call, if the real server has sent others than the simulated one. */
  async difference(): Promise<string | undefined> {
    const found = await Promise.all([...this.subscribers.values()].map((subscriber) => subscriber.difference()));
    return found.find((difference) => difference !== undefined);
  }

  /** Ends all subscriptions. */
  async reset(): Promise<void> {
    const used = [...this.subscribers.values()];
    this.subscribers.clear();
    await Promise.all(used.map((subscriber) => this.free(subscriber)));
  }

  stop(): void {
    for (const { client } of [...this.subscribers.values(), ...this.spare]) client.disconnect();
  }

  private of(listener: Listener): RealSubscriber {
    const known = this.subscribers.get(listener);
    if (known) return known;
    const subscriber = this.spare.pop() ?? new RealSubscriber(connectAdmin(this.url));
    this.subscribers.set(listener, subscriber);
    return subscriber;
  }

  private async free(subscriber: RealSubscriber): Promise<void> {
    await subscriber.client.unsubscribe();
    await subscriber.difference();
    this.spare.push(subscriber);
  }
}
