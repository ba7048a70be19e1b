import { Redis } from 'ioredis';
import type { RedisServer } from '../../servers/redis/redis-server.js';

/** One connection of the harness to each server. */
export class Admins {
  private readonly connections = new Map<RedisServer, Redis>();

  of(server: RedisServer): Redis {
    const known = this.connections.get(server);
    if (known) return known;
    const connection = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    connection.on('error', () => {});
    this.connections.set(server, connection);
    return connection;
  }

  close(): void {
    for (const connection of this.connections.values()) connection.disconnect();
  }
}
