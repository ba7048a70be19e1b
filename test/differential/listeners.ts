import type { Redis } from 'ioredis';
import type { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

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
  private readonly subscriptions = new Map<string, Map<string, () => void>>();

  constructor(private readonly server: MemoryServer) {}

  async listen(client: string, channels: readonly string[]): Promise<void> {
    const subscribed = this.subscriptions.get(client) ?? new Map<string, () => void>();
    this.subscriptions.set(client, subscribed);
    for (const channel of channels.filter((one) => !subscribed.has(one))) {
      const onMessage = (message = ''): void => this.messages.add(client, channel, message);
      // Each client has a connection of its own.
      subscribed.set(channel, this.server.subscribe(subscribed, channel, onMessage));
    }
  }

  async leave(client: string): Promise<void> {
    for (const cancel of this.subscriptions.get(client)?.values() ?? []) cancel();
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
    connection.on('message', (channel: string, message: string) => this.messages.add(client, channel, message));
    this.connections.set(client, connection);
    return connection;
  }
}
