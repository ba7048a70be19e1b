import type { RedisServer } from '../servers/redis/redis-server.js';
import type { Topology } from './topologies/topology.js';

/** Servers that fail forget their counts, so these are read often. */
const INTERVAL_MS = 100;

/**
 * Counts how often a release took a client from those that wait, to give it the lock: the calls of ZPOPMIN on masters,
 * which nothing else uses. A client that is dead counts, too.
 */
export class GrantCounter {
  private total = 0;
  /** The count of each run of a server when it was last read. */
  private readonly counted = new Map<string, number>();
  private readonly reading = new Map<RedisServer, Promise<void>>();
  private readonly timer = setInterval(() => this.readAll(), INTERVAL_MS);

  constructor(private readonly topology: Topology) {}

  stop(): void {
    clearInterval(this.timer);
  }

  /** Resolves with the number until now. All servers must answer. */
  async finish(): Promise<number> {
    this.stop();
    await Promise.all(this.reading.values());
    this.readAll();
    await Promise.all(this.reading.values());
    return this.total;
  }

  private readAll(): void {
    for (const server of this.topology.servers) {
      if (!server.isRunning || this.reading.has(server)) continue;
      // A server that does not answer now is read again later.
      const reading = this.read(server).catch(() => {});
      this.reading.set(server, reading);
      void reading.then(() => this.reading.delete(server));
    }
  }

  private async read(server: RedisServer): Promise<void> {
    const info = await this.topology.admin(server).info('all');
    const run = /run_id:(\w+)/.exec(info)?.[1] ?? '';
    const calls = Number(/cmdstat_zpopmin:calls=(\d+)/.exec(info)?.[1] ?? 0);
    // Replicas repeat the command.
    if (info.includes('role:master')) this.total += calls - (this.counted.get(run) ?? 0);
    this.counted.set(run, calls);
  }
}
