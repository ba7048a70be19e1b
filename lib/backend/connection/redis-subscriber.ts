import { hashSlot } from '../../keys/hash-slot.js';
import type { MonotonicScheduler, ScheduledTask } from '../../time/scheduler.js';
import type { MessageListener, PubSub, Subscriber, Subscription } from '../pubsub.js';
import { RedisConnection } from './redis-connection.js';
import type { ServerTarget } from './target.js';
import { Channel, ChannelSubscription } from './subscriptions/channel.js';
import { type SubscriberConnection, SubscriptionCommands } from './subscriptions/subscription-commands.js';
import { rawReply, withDeadline } from './with-deadline.js';

const HEARTBEAT_MS = 2000;
const HEARTBEAT_TIMEOUT_MS = 1000;

/** Options for clusters whose messages may stay with one shard. */
interface ShardOptions {
  /** Whether a channel belongs to a shard. Default: none does. */
  readonly isSharded?: (channel: string) => boolean;
  /** Called when the server stops serving a channel of a shard. */
  readonly onMoved?: () => void;
}

/**
 * One connection with the subscriptions of all locks. After a disconnection it subscribes again by itself and then
 * calls every listener once. It sends a heartbeat while there are listeners: a half-open connection stays silent for
 * ever and looks healthy.
 */
export class RedisSubscriber implements PubSub {
  private readonly connection: RedisConnection;
  private readonly channels = new Map<string, Channel>();
  private readonly commands: SubscriptionCommands;
  private heartbeat: ScheduledTask | undefined;
  /** Whether the last listener was refused, so that its waiter polls, and listens again later. */
  private hasRefused = false;

  constructor(
    target: ServerTarget,
    private readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
    { isSharded = () => false, onMoved }: ShardOptions = {},
  ) {
    this.connection = new RedisConnection(target, 'subscriber', commandTimeout, scheduler, {
      prepare: () => this.subscribeAgain(),
      onClose: () => this.onDisconnected(),
      onMessage: (channel, message) => this.channels.get(channel)?.wake(message),
      ...(onMoved && { onMoved }),
      // Messages are shared by all databases.
      acceptsDatabaseRefusal: () => true,
    });
    this.commands = new SubscriptionCommands(commandsOn(this.connection, isSharded), commandTimeout, scheduler);
  }

  async subscribe(name: string, listener: MessageListener, subscriber?: Subscriber): Promise<Subscription> {
    const channel = this.channels.get(name) ?? new Channel(name);
    this.channels.set(name, channel);
    const subscription = new ChannelSubscription(channel, listener, subscriber, this.onUnused);
    try {
      await this.listen(channel);
      this.hasRefused = false;
    } catch (error) {
      this.hasRefused = true;
      subscription.cancel();
      throw error;
    }
    return subscription;
  }

  /** Names of the channels with listeners. */
  get channelNames(): readonly string[] {
    return [...this.channels.keys()];
  }

  /**
   * Whether the server answers over this connection. `unused`: there is no listener, none was refused lately, and the
   * connection may be closed.
   * Never rejects.
   * @param deadline Instant of the scheduler.
   */
  async check(deadline: number): Promise<'up' | 'down' | 'unused'> {
    if (this.channels.size === 0 && !this.hasRefused) return 'unused';
    if (!(await this.connection.whenReady(deadline - this.scheduler.now()))) return 'down';
    const isAnswered = await withDeadline(this.connection.send(['PING']), deadline, this.scheduler, rawReply()).then(
      () => true,
      () => false,
    );
    if (!isAnswered) return 'down';
    this.hasRefused = false;
    return this.channels.size === 0 ? 'unused' : 'up';
  }

  /** @param ms The longest that this may take. */
  async close(ms?: number): Promise<void> {
    this.heartbeat?.cancel();
    this.heartbeat = undefined;
    this.channels.clear();
    await this.connection.close(ms);
  }

  private async listen(channel: Channel): Promise<void> {
    this.connection.open();
    if (!this.connection.isReady && !(await this.connection.whenReady(this.commandTimeout)))
      throw this.connection.unavailable(undefined, this.commandTimeout);
    this.startHeartbeat();
    if (!channel.live) await this.commands.begin(channel);
  }

  /** Called when a channel has no listeners any more. */
  private readonly onUnused = (channel: Channel): void => {
    if (this.channels.get(channel.name) !== channel) return;
    this.channels.delete(channel.name);
    if (this.channels.size === 0) this.stopHeartbeat();
    this.commands.end(channel);
  };

  private async subscribeAgain(): Promise<void> {
    // The others wait for the connection, and are subscribed to when it is ready.
    const earlier = [...this.channels.values()].filter(({ isBegun }) => isBegun);
    await this.commands.beginAgain(earlier);
    for (const channel of earlier) channel.wake();
  }

  private onDisconnected(): void {
    const ended = [...this.channels.values()].filter(({ live }) => live);
    for (const channel of ended) channel.live = false;
    for (const channel of ended) channel.wake();
  }

  private startHeartbeat(): void {
    this.heartbeat ??= this.scheduler.schedule(HEARTBEAT_MS, () => this.sendHeartbeat());
  }

  private stopHeartbeat(): void {
    this.heartbeat?.cancel();
    this.heartbeat = undefined;
  }

  private sendHeartbeat(): void {
    this.heartbeat = undefined;
    if (this.channels.size === 0) return;
    this.startHeartbeat();
    if (!this.connection.isReady) return;
    const deadline = this.scheduler.now() + HEARTBEAT_TIMEOUT_MS;
    withDeadline(this.connection.send(['PING']), deadline, this.scheduler, rawReply()).catch(() => {
      this.onDisconnected();
      this.connection.reconnect();
    });
  }
}

/** The commands on a connection. Channels of a shard have commands of their own, one for each slot. */
const commandsOn = (connection: RedisConnection, isSharded: (channel: string) => boolean): SubscriberConnection => {
  /** All channels of one command are of one group. */
  const areSharded = ([channel]: readonly string[]): boolean => channel !== undefined && isSharded(channel);
  return {
    get isOpen() {
      return connection.isOpen;
    },
    get isReady() {
      return connection.isReady;
    },
    groupOf: (channel) => (isSharded(channel) ? hashSlot(channel) : undefined),
    subscribe: (channels) => connection.subscribe(channels, areSharded(channels)),
    unsubscribe: (channels) => connection.unsubscribe(channels, areSharded(channels)),
    reconnect: () => connection.reconnect(),
  };
};
