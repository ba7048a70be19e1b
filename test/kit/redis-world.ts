import type { Redis } from 'ioredis';
import type { Scheduler } from '../../lib/index.js';
import type { ConnectionInput } from '../../lib/advanced.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Client, type ClientOptions, Clients, openClient } from './client.js';
import { type Probe, type RawPlace, type RawState, renewed, type World } from './world.js';
import { scriptExecutions } from '../servers/redis/script-executions.js';
import { ServedScheduler } from './served-scheduler.js';
import { Time } from './time.js';
import { fairDeadlines, fairQueue, waitingClients } from '../../lib/keys/redisson-keys.js';

interface RunningServer {
  readonly server: RedisServer;
  readonly admin: Redis;
  /** That of clients without another one. */
  readonly scheduler: ServedScheduler;
}

/** Clients of one real server. */
export class RedisWorld implements World {
  readonly name = 'Redis';
  readonly time = Time.real();
  private readonly clients = new Clients();
  private readonly closers: (() => Promise<unknown>)[] = [];
  private running: RunningServer | undefined;

  /** @param args Settings of the server, as on its command line. */
  constructor(private readonly args: readonly string[] = []) {}

  async start(): Promise<void> {
    const server = await RedisServer.start({ args: this.args });
    this.running = { server, admin: connectAdmin(server.url), scheduler: new ServedScheduler() };
  }

  get server(): RedisServer {
    return this.started.server;
  }

  /** A connection of the test, for the actions of a peer or an administrator. */
  get admin(): Redis {
    return this.started.admin;
  }

  get probe(): Probe {
    return new RedisProbe(this.admin);
  }

  /**
   * @param scheduler Replaces real time. On a manual clock the speed of the server decides nothing. Default: one on which
   *   no command misses its deadline; but short leases are renewed by real time, since they end by the server's clock.
   */
  async open(
    options: ClientOptions = {},
    connection: ConnectionInput = this.server.url,
    scheduler: Scheduler = options.renewedLease === undefined ? this.started.scheduler : systemScheduler,
  ): Promise<Client> {
    const client = this.clients.add(openClient({ ...options, connection }, { scheduler }));
    await client.connected();
    return client;
  }

  /** Registers a function to call when the world is reset, for resources of a test other than clients. */
  onReset(close: () => Promise<unknown>): void {
    this.closers.push(close);
  }

  renewed(...names: readonly string[]): Promise<void> {
    return renewed(this, names);
  }

  async reset(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((close) => close()));
    await this.clients.close();
    await this.admin.flushall();
  }

  async stop(): Promise<void> {
    this.admin.disconnect();
    await this.server.stop();
    this.started.scheduler.stop();
  }

  private get started(): RunningServer {
    if (!this.running) throw new Error('The server has not been started');
    return this.running;
  }
}

class RedisProbe implements Probe {
  constructor(private readonly admin: Redis) {}

  async state(name: string): Promise<RawState> {
    const type = await this.admin.type(name);
    const fields = type === 'hash' ? await this.admin.hgetall(name) : {};
    const owners = Object.fromEntries(Object.entries(fields).map(([owner, count]) => [owner, Number(count)]));
    return { type, owners, ttl: await this.admin.pttl(name) };
  }

  async names(): Promise<string[]> {
    return this.admin.keys('*');
  }

  async put(name: string, owner: string, ttl: number, count = 1): Promise<void> {
    await this.admin.multi().del(name).hset(name, owner, count).pexpire(name, ttl).exec();
  }

  async remove(name: string): Promise<void> {
    await this.admin.del(name);
  }

  async queue(name: string): Promise<readonly RawPlace[]> {
    const [now, owners, scores] = await Promise.all([
      this.now(),
      this.admin.lrange(fairQueue(name), 0, -1),
      this.admin.zrange(fairDeadlines(name), '0', '-1', 'WITHSCORES'),
    ]);
    const deadlines = new Map<string, number>();
    for (let index = 0; index < scores.length; index += 2)
      deadlines.set(scores[index] ?? '', Number(scores[index + 1]));
    return owners.map((owner) => {
      const deadline = deadlines.get(owner);
      return { owner, keptFor: deadline === undefined ? undefined : deadline - now };
    });
  }

  async queueLength(name: string): Promise<number> {
    return this.admin.llen(fairQueue(name));
  }

  async waitingClients(name: string): Promise<number> {
    return this.admin.zcard(waitingClients(name));
  }

  async enqueue(name: string, { owner, keptFor }: RawPlace): Promise<void> {
    const adding = this.admin.multi().rpush(fairQueue(name), owner);
    // Deadlines are whole milliseconds: a fraction is a mark of ours and the first lease of a waiter.
    if (keptFor !== undefined) adding.zadd(fairDeadlines(name), Math.floor(await this.now()) + keptFor, owner);
    await adding.exec();
  }

  private async now(): Promise<number> {
    const [seconds, micros] = await this.admin.time();
    return Number(seconds) * 1000 + Number(micros) / 1000;
  }

  async clear(): Promise<void> {
    await this.admin.flushall();
  }

  async subscribers(channel: string): Promise<number> {
    const [, count] = await this.admin.pubsub('NUMSUB', channel);
    return Number(count);
  }

  async channels(): Promise<string[]> {
    const channels = await this.admin.pubsub('CHANNELS');
    return channels.map(String);
  }

  /** The number of scripts run so far. Each request of a client is one script. */
  commands(): Promise<number> {
    return scriptExecutions(this.admin);
  }
}
