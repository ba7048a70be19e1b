import { LockUnavailableError } from '../../../errors.js';
import type { ScheduledTask } from '../../../time/scheduler.js';
import type { MonotonicScheduler } from '../../../time/monotonic-scheduler.js';
import type { MessageListener, Subscription, PubSub } from '../../lock-backend.js';
import { RedisConnection } from './redis-connection.js';
import type { ServerInput } from './connection-input.js';
import { rawReply, withDeadline } from './with-deadline.js';
import { isErrorReply } from './reply-errors.js';

const HEARTBEAT_MS = 2000;
const HEARTBEAT_TIMEOUT_MS = 1000;

/** Options for clusters whose messages may stay with one shard. */
export interface ShardOptions {
  /** Whether a channel belongs to a shard. Default: none does. */
  readonly isSharded?: (channel: string) => boolean;
  /** Called when the server stops serving a channel of a shard. */
  readonly onMoved?: () => void;
}

interface Channel {
  readonly listeners: Set<MessageListener>;
  /** Whether the server has acknowledged the subscription on the present connection. */
  live: boolean;
}

/**
 * One connection with the subscriptions of all locks. After a disconnection it subscribes again by itself and then
 * calls every listener once. It sends a heartbeat while there are listeners: a half-open connection stays silent for
 * ever and looks healthy.
 */
export class RedisSubscriber implements PubSub {
  private readonly connection: RedisConnection;
  private readonly channels = new Map<string, Channel>();
  private readonly isSharded: (channel: string) => boolean;
  private heartbeat: ScheduledTask | undefined;

  constructor(
    input: ServerInput,
    private readonly commandTimeout: number,
    private readonly scheduler: MonotonicScheduler,
    { isSharded = () => false, onMoved }: ShardOptions = {},
  ) {
    this.isSharded = isSharded;
    this.connection = new RedisConnection(input, 'subscriber', commandTimeout, scheduler, {
      prepare: () => this.resubscribeAll(),
      onClose: () => this.onDisconnected(),
      // Messages are shared by all databases.
      acceptsDatabaseRefusal: () => true,
    });
    const onMessage = (channel: string, message: string): void => this.wake(this.channels.get(channel), message);
    this.connection.client.on('message', onMessage);
    this.connection.client.on('smessage', onMessage);
    if (onMoved) this.connection.client.on('moved', onMoved);
  }

  async subscribe(name: string, listener: MessageListener): Promise<Subscription> {
    const channel = this.channels.get(name) ?? { listeners: new Set(), live: false };
    this.channels.set(name, channel);
    channel.listeners.add(listener);
    const cancel = (): void => this.cancel(name, channel, listener);
    try {
      await this.listen(name, channel);
    } catch (error) {
      cancel();
      throw error;
    }
    return {
      get alive() {
        return channel.live;
      },
      cancel,
    };
  }

  /** Names of the channels with listeners. */
  get channelNames(): readonly string[] {
    return [...this.channels.keys()];
  }

  /**
   * Whether the server answers over this connection. `unused`: there is no listener, and the connection may be closed.
   * Never rejects.
   * @param deadline Instant of the scheduler.
   */
  async check(deadline: number): Promise<'up' | 'down' | 'unused'> {
    if (this.channels.size === 0) return 'unused';
    if (!(await this.connection.whenReady(deadline - this.scheduler.now()))) return 'down';
    return withDeadline(this.connection.client.ping(), deadline, this.scheduler, rawReply()).then(
      () => 'up',
      () => 'down',
    );
  }

  /** @param ms The longest that this may take. */
  async close(ms?: number): Promise<void> {
    this.heartbeat?.cancel();
    this.heartbeat = undefined;
    this.channels.clear();
    await this.connection.close(ms);
  }

  private async listen(name: string, channel: Channel): Promise<void> {
    const deadline = this.deadline(this.commandTimeout);
    this.connection.open();
    if (!(await this.connection.whenReady(this.commandTimeout))) {
      throw this.connection.unavailable(undefined, this.commandTimeout);
    }
    this.startHeartbeat();
    if (channel.live) return;
    await withDeadline(this.begin(name), deadline, this.scheduler, rawReply());
    channel.live = this.connection.isReady;
  }

  private cancel(name: string, channel: Channel, listener: MessageListener): void {
    channel.listeners.delete(listener);
    if (channel.listeners.size > 0 || this.channels.get(name) !== channel) return;
    this.channels.delete(name);
    if (this.channels.size === 0) this.stopHeartbeat();
    // A closed connection has no subscriptions to end.
    if (this.connection.client.status !== 'ready') return;
    this.end(name).catch((error: unknown) => {
      // A server that does not serve the channel any more has ended the subscription by itself.
      if (!isErrorReply(error)) this.connection.reconnect();
    });
  }

  private begin(name: string): Promise<unknown> {
    const { client } = this.connection;
    return this.isSharded(name) ? client.ssubscribe(name) : client.subscribe(name);
  }

  private end(name: string): Promise<unknown> {
    const { client } = this.connection;
    return this.isSharded(name) ? client.sunsubscribe(name) : client.unsubscribe(name);
  }

  private async resubscribeAll(): Promise<void> {
    const deadline = this.deadline(this.commandTimeout);
    await Promise.all([...this.channels].map(([name, channel]) => this.resubscribe(name, channel, deadline)));
    this.wakeAll();
  }

  /** Sends one command for each channel: one that this user may not subscribe to fails without the others. */
  private async resubscribe(name: string, channel: Channel, deadline: number): Promise<void> {
    try {
      await withDeadline(this.begin(name), deadline, this.scheduler, rawReply());
      channel.live = true;
      if (this.channels.get(name) !== channel) await this.end(name);
    } catch (error) {
      if (!(error instanceof LockUnavailableError && error.outcome === 'refused')) throw error;
    }
  }

  private onDisconnected(): void {
    for (const channel of this.channels.values()) channel.live = false;
    this.wakeAll();
  }

  private wakeAll(): void {
    for (const channel of this.channels.values()) this.wake(channel);
  }

  private wake(channel: Channel | undefined, message?: string): void {
    for (const listener of channel?.listeners ?? []) listener(message);
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
    withDeadline(this.connection.client.ping(), this.deadline(HEARTBEAT_TIMEOUT_MS), this.scheduler, rawReply()).catch(
      () => {
        this.onDisconnected();
        this.connection.reconnect();
      },
    );
  }

  private deadline(ms: number): number {
    return this.scheduler.now() + ms;
  }
}
