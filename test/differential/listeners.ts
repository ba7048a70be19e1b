import type { Redis } from 'ioredis';
import type { MemoryStore } from '../../lib/backend/memory/memory-store.js';
import type { Subscription } from '../../lib/backend/lock-backend.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

/** Channels on which Redis announces numbers of permits, and memory only that there are some. */
const PERMITS = 'redisson_sc';

/** A message as one client heard it. */
export interface Heard {
  readonly channel: string;
  readonly message: string;
}

/** The clients that listen to channels, each with a connection of its own, and what they have heard. */
export interface Listeners {
  listen(client: string, channels: readonly string[]): Promise<void>;
  /** Makes a client deaf, as one that is dead. */
  leave(client: string): Promise<void>;
  /** The messages so far by client, in order. */
  heard(): Promise<Readonly<Record<string, readonly Heard[]>>>;
}

class HeardMessages {
  private readonly byClient: Record<string, Heard[]> = {};

  add(client: string, channel: string, message: string): void {
    (this.byClient[client] ??= []).push({ channel, message });
  }

  get all(): Readonly<Record<string, readonly Heard[]>> {
    return this.byClient;
  }
}

export class MemoryListeners implements Listeners {
  private readonly messages = new HeardMessages();
  private readonly subscriptions = new Map<string, Map<string, Subscription>>();

  constructor(private readonly store: MemoryStore) {}

  async listen(client: string, channels: readonly string[]): Promise<void> {
    const subscribed = this.subscriptions.get(client) ?? new Map<string, Subscription>();
    this.subscriptions.set(client, subscribed);
    for (const channel of channels.filter((one) => !subscribed.has(one))) {
      // Memory announces releases without a text.
      const onMessage = (message = '0'): void => this.messages.add(client, channel, message);
      subscribed.set(channel, this.store.subscribe(channel, onMessage));
    }
  }

  async leave(client: string): Promise<void> {
    for (const subscription of this.subscriptions.get(client)?.values() ?? []) subscription.cancel();
    this.subscriptions.delete(client);
  }

  async heard(): ReturnType<Listeners['heard']> {
    return this.messages.all;
  }
}

export class RedisListeners implements Listeners {
  private messages = new HeardMessages();
  private readonly connections = new Map<string, Redis>();

  constructor(private readonly url: string) {}

  async listen(client: string, channels: readonly string[]): Promise<void> {
    await this.connectionOf(client).subscribe(...channels);
  }

  async leave(client: string): Promise<void> {
    await this.connections.get(client)?.unsubscribe();
  }

  async heard(): ReturnType<Listeners['heard']> {
    // A connection receives everything in order, so all earlier messages have arrived.
    await Promise.all([...this.connections.values()].map((connection) => connection.ping()));
    return this.messages.all;
  }

  /** Makes all clients deaf, and forgets what they have heard. */
  async reset(): Promise<void> {
    await Promise.all([...this.connections.keys()].map((client) => this.leave(client)));
    this.messages = new HeardMessages();
  }

  close(): void {
    for (const connection of this.connections.values()) connection.disconnect();
  }

  private connectionOf(client: string): Redis {
    const known = this.connections.get(client);
    if (known) return known;
    const connection = connectAdmin(this.url);
    connection.on('message', (channel: string, message: string) => {
      // Both announce a release, and memory has one text for it.
      this.messages.add(client, channel, message === '1' || channel.startsWith(PERMITS) ? '0' : message);
    });
    this.connections.set(client, connection);
    return connection;
  }
}
