import { isPassing, LockUnavailableError } from '../../errors.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { MessageListener, PubSub, Subscriber, Subscription } from '../pubsub.js';
import { RedisSubscriber } from '../connection/redis-subscriber.js';
import type { Address } from './cluster-servers.js';
import type { ClusterTopology } from './cluster-topology.js';
import { sharesShard } from '../../keys/redisson-keys.js';

/** A subscription, whichever server it is on at the moment. */
class RoutedSubscription implements Subscription, Subscriber {
  /** Its server, or the one it is moving to; `undefined` after it was lost. */
  home: Address | undefined;
  inner: Subscription | undefined;
  private cancelled = false;

  constructor(
    readonly channel: string,
    private readonly onMessage: MessageListener,
    private readonly forget: (routed: RoutedSubscription) => void,
    private readonly subscriber: Subscriber | undefined,
  ) {}

  get isInterested(): boolean {
    return !this.cancelled && this.subscriber?.isInterested !== false;
  }

  get alive(): boolean {
    return this.inner?.alive ?? false;
  }

  /** Messages that arrive after {@link cancel} are dropped. */
  readonly listener = (message?: string): void => {
    if (!this.cancelled) this.onMessage(message);
  };

  cancel(): void {
    this.cancelled = true;
    this.detach();
    this.forget(this);
  }

  detach(): void {
    this.inner?.cancel();
    this.inner = undefined;
    this.home = undefined;
  }
}

/**
 * Subscribes on the server of a channel's slot, over one connection to each server with subscriptions, and follows when
 * the slot moves. Listeners are called then, since messages in between were missed.
 */
export class ClusterSubscriber implements PubSub {
  private readonly subscribers = new Map<Address, RedisSubscriber>();
  private readonly routed = new Set<RoutedSubscription>();
  private closed = false;

  constructor(
    private readonly topology: ClusterTopology,
    private readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
  ) {
    topology.onRefresh(() => this.moveAllToMasters());
  }

  async subscribe(channel: string, listener: MessageListener, subscriber?: Subscriber): Promise<Subscription> {
    const routed = new RoutedSubscription(channel, listener, this.forget, subscriber);
    this.routed.add(routed);
    try {
      await this.topology.whenKnown(this.scheduler.now() + this.commandTimeout);
      await this.subscribeAtMaster(routed);
      // Perhaps another server serves the channel now.
      if (routed.isInterested && !routed.alive) this.topology.refreshSoon();
      return routed;
    } catch (error) {
      routed.cancel();
      this.topology.refreshSoon();
      throw error;
    }
  }

  private readonly forget = (routed: RoutedSubscription): void => void this.routed.delete(routed);

  /** The subscriber of one server; `undefined` if nothing was subscribed to there so far. */
  at(address: Address): RedisSubscriber | undefined {
    return this.subscribers.get(address);
  }

  async close(ms?: number): Promise<void> {
    this.closed = true;
    this.routed.clear();
    await Promise.all([...this.subscribers.values()].map((subscriber) => subscriber.close(ms)));
  }

  /** Subscribes on the server that serves the channel now. */
  private async subscribeAtMaster(routed: RoutedSubscription): Promise<void> {
    const owner = this.topology.masterOf(routed.channel);
    if (routed.home === owner && owner !== undefined) return;
    routed.detach();
    if (owner === undefined) throw new LockUnavailableError('No server serves the channel', 'not-sent', false);
    routed.home = owner;
    try {
      const inner = await this.subscriberAt(owner).subscribe(routed.channel, routed.listener, routed);
      if (routed.home === owner) routed.inner = inner;
      else inner.cancel();
    } catch (error) {
      // A subscription that has moved on, or was cancelled, does not depend on this server any more.
      if (routed.home !== owner) return;
      routed.detach();
      throw error;
    }
  }

  private moveAllToMasters(): void {
    for (const routed of this.routed) {
      if (routed.home !== this.topology.masterOf(routed.channel)) void this.moveToMaster(routed);
    }
    const { masters } = this.topology;
    for (const [address, subscriber] of this.subscribers) {
      if (masters.has(address)) continue;
      this.subscribers.delete(address);
      void subscriber.close();
    }
  }

  /** After a passing failure the next refresh tries again; after a permanent one the listener has to poll. */
  private async moveToMaster(routed: RoutedSubscription): Promise<void> {
    try {
      await this.subscribeAtMaster(routed);
    } catch (error) {
      if (isPassing(error)) this.topology.refreshSoon();
    }
    routed.listener();
  }

  private subscriberAt(address: Address): RedisSubscriber {
    const known = this.subscribers.get(address);
    if (known) return known;
    const subscriber = new RedisSubscriber(this.topology.connectionTo(address), this.commandTimeout, this.scheduler, {
      isSharded: (channel) => this.topology.isSharded && sharesShard(channel),
      onMoved: () => this.onServerUnsubscribed(address),
    });
    this.subscribers.set(address, subscriber);
    // A subscription over it fails at once, as over one that was connected before.
    if (this.closed) void subscriber.close();
    return subscriber;
  }

  /** Called when a server stops serving a channel; it does not report which. */
  private onServerUnsubscribed(address: Address): void {
    for (const routed of this.routed) {
      if (routed.home !== address) continue;
      routed.detach();
      routed.listener();
    }
    this.topology.refreshSoon();
  }
}
