import type { MessageListener, Subscription, PubSub } from '../../../lib/backend/pubsub.js';
import { rawReply, withDeadline } from '../../../lib/backend/connection/with-deadline.js';
import type { MonotonicScheduler } from '../../../lib/time/scheduler.js';
import type { SimulatedConnection } from '../network/connection.js';
import type { Listener, SimulatedStore } from '../server/simulated-store.js';
import { notConnected } from './not-connected.js';

/** Pause before a new connection replaces one that was cut, ms. */
const RECONNECT_MS = 50;

interface Channel {
  readonly listeners: Set<MessageListener>;
  /** Whether the server has acknowledged the subscription on the connection as it is now. */
  isLive: boolean;
}

/** Listens to a simulated server, and again after each cut, as the library's subscriber does. */
export class SimulatedSubscriber implements PubSub {
  private readonly channels = new Map<string, Channel>();
  private listener: Listener | undefined;

  constructor(
    private readonly connection: SimulatedConnection,
    private readonly store: SimulatedStore,
    private readonly scheduler: MonotonicScheduler,
    private readonly commandTimeout: number,
  ) {
    this.listener = this.newListener();
  }

  async subscribe(name: string, listener: MessageListener): Promise<Subscription> {
    const channel = this.channels.get(name) ?? { listeners: new Set(), isLive: false };
    this.channels.set(name, channel);
    channel.listeners.add(listener);
    const cancel = (): void => this.cancel(name, channel, listener);
    try {
      if (!channel.isLive) await this.begin(name, channel);
    } catch (error) {
      cancel();
      throw error;
    }
    return {
      get alive() {
        return channel.isLive;
      },
      cancel,
    };
  }

  /** Makes the server forget the subscriber. */
  gone(): void {
    if (this.listener) this.store.forget(this.listener);
    this.listener = undefined;
  }

  /** Handles the end of the connection, which ends every subscription. */
  disconnected(): void {
    this.gone();
    for (const channel of this.channels.values()) channel.isLive = false;
    this.wakeAll();
  }

  /** Subscribes again on a new connection. */
  async reconnected(): Promise<void> {
    this.listener = this.newListener();
    const begun = await Promise.allSettled([...this.channels].map(([name, channel]) => this.begin(name, channel)));
    // Cuts a connection over which the server does not answer in time, as the library's subscriber does.
    if (begun.some(({ status }) => status === 'rejected')) this.connection.cut(RECONNECT_MS);
    this.wakeAll();
  }

  private async begin(name: string, channel: Channel): Promise<void> {
    const { listener } = this;
    if (!listener) throw notConnected(undefined, 0);
    const asked = this.connection.request(`subscribe ${name}`, async () => this.store.listen(name, listener));
    await withDeadline(asked, this.scheduler.now() + this.commandTimeout, this.scheduler, rawReply());
    channel.isLive = this.listener === listener;
  }

  private cancel(name: string, channel: Channel, callback: MessageListener): void {
    channel.listeners.delete(callback);
    if (channel.listeners.size > 0 || this.channels.get(name) !== channel) return;
    this.channels.delete(name);
    const { listener } = this;
    if (!listener) return;
    const unlisten = async (): Promise<void> => this.store.unlisten(name, listener);
    // A broken connection has no subscriptions to end.
    this.connection.request(`unsubscribe ${name}`, unlisten).catch(() => {});
  }

  private newListener(): Listener {
    const onMessage = (name: string, message: string | undefined): void => this.wake(this.channels.get(name), message);
    return { push: this.connection.push, isGone: false, onMessage };
  }

  private wakeAll(): void {
    for (const channel of this.channels.values()) this.wake(channel);
  }

  private wake(channel: Channel | undefined, message?: string): void {
    for (const listener of channel?.listeners ?? []) listener(message);
  }
}
