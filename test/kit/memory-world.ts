import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { Reply } from '../../lib/backend/memory/keyspace.js';
import { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import { memoryTransport } from '../../lib/backend/memory/memory-transport.js';
import { RedisBackend } from '../../lib/backend/redis-backend.js';
import type { Transport } from '../../lib/backend/transport.js';
import { fairDeadlines, fairQueue, waitingClients } from '../../lib/keys/redisson-keys.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { Client, type ClientOptions, Clients, openClient } from './client.js';
import { StallingClock } from './stalling-clock.js';
import { type Probe, type RawPlace, renewed, type World } from './world.js';
import { Time } from './time.js';

/** Clients that share one memory, as they would share a server, on a manual clock. */
export class MemoryWorld implements World {
  readonly name = 'memory';
  private readonly clients = new Clients();
  private shared = new SharedMemory();

  get time(): Time {
    return this.shared.time;
  }

  get probe(): Probe {
    return this.shared;
  }

  get clock(): StallingClock {
    return this.shared.clock;
  }

  async start(): Promise<void> {}

  async open(options: ClientOptions = {}): Promise<Client> {
    const { clock } = this.shared;
    const { fencing, commandTimeout } = parseModuleOptions({ ...options, connection: 'memory' });
    const backend = (scheduler: MonotonicScheduler): LockBackend =>
      new RedisBackend(this.shared.connect(commandTimeout), { fencing }, scheduler);
    return this.clients.add(openClient({ ...options, connection: 'memory' }, { scheduler: clock, backend }));
  }

  renewed(...names: readonly string[]): Promise<void> {
    return renewed(this, names);
  }

  async reset(): Promise<void> {
    await this.clients.close();
    this.shared = new SharedMemory();
  }

  async stop(): Promise<void> {}
}

class SharedMemory implements Probe {
  readonly clock = new StallingClock();
  readonly time = Time.on(this.clock);
  private readonly server = new MemoryServer(new MonotonicScheduler(this.clock, rethrow));
  private sent = 0;

  /** A connection for one client. */
  connect(commandTimeout: number): Transport {
    const transport = memoryTransport(this.server, commandTimeout);
    const run = transport.commands.run.bind(transport.commands);
    transport.commands.run = (...asked) => {
      this.sent += 1;
      return run(...asked);
    };
    return transport;
  }

  async state(name: string): ReturnType<Probe['state']> {
    const type = this.server.keyspace.entry(name)?.type ?? 'none';
    const owners = type === 'hash' ? this.holdsOf(name) : {};
    return { type, owners, ttl: Number(this.call('PTTL', name)) };
  }

  async names(): Promise<string[]> {
    return this.server.keyspace.keys();
  }

  async put(name: string, owner: string, ttl: number, count = 1): Promise<void> {
    this.call('DEL', name);
    this.call('HSET', name, owner, String(count));
    this.call('PEXPIRE', name, String(ttl));
  }

  async remove(name: string): Promise<void> {
    this.call('DEL', name);
  }

  async queue(name: string): Promise<readonly RawPlace[]> {
    return this.listOf(fairQueue(name)).map((owner) => {
      const deadline = this.call('ZSCORE', fairDeadlines(name), owner);
      return { owner, keptFor: deadline === null ? undefined : Number(deadline) - this.server.now() };
    });
  }

  async queueLength(name: string): Promise<number> {
    return this.listOf(fairQueue(name)).length;
  }

  async waitingClients(name: string): Promise<number> {
    return Number(this.call('ZCARD', waitingClients(name)));
  }

  async enqueue(name: string, { owner, keptFor }: RawPlace): Promise<void> {
    this.call('RPUSH', fairQueue(name), owner);
    // Redisson writes whole milliseconds.
    if (keptFor !== undefined) {
      this.call('ZADD', fairDeadlines(name), String(Math.floor(this.server.now()) + keptFor), owner);
    }
  }

  async clear(): Promise<void> {
    for (const name of this.server.keyspace.keys()) this.call('DEL', name);
  }

  async subscribers(channel: string): Promise<number> {
    return this.server.receivers(channel);
  }

  async channels(): Promise<string[]> {
    return [...this.server.channelNames];
  }

  async commands(): Promise<number> {
    return this.sent;
  }

  private call(...command: readonly string[]): Reply {
    return this.server.keyspace.call(command);
  }

  private listOf(key: string): readonly string[] {
    return [this.call('LRANGE', key, '0', '-1')].flat(2).map(String);
  }

  private holdsOf(name: string): Record<string, number> {
    const fields = [this.call('HGETALL', name)].flat(2).map(String);
    const owners = fields.filter((_, index) => index % 2 === 0);
    return Object.fromEntries(owners.map((owner, index) => [owner, Number(fields[2 * index + 1])]));
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};
