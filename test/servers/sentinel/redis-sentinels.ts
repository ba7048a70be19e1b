import type { Redis } from 'ioredis';
import { allStarted } from '../process/all-started.js';
import type { AnnouncedServer } from '../redis/announced-server.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import type { RedisServer } from '../redis/redis-server.js';
import { isInStep } from '../replication/replica.js';
import { MASTER_NAME, type RedisSentinelsOptions, startSentinel, startWatched } from './sentinel-servers.js';
import { untilAgreed } from '../replication/until-agreed.js';

/** A real master with replicas, watched by Sentinels that put a replica in its place when it fails. */
export class RedisSentinels {
  /** The name of the master at the Sentinels. */
  readonly name = MASTER_NAME;

  private constructor(
    private readonly seats: AnnouncedServer[],
    private readonly watchers: readonly AnnouncedServer[],
    private readonly options: RedisSentinelsOptions,
  ) {}

  /** Resolves when the Sentinels know the replicas and each other. */
  static async start(options: RedisSentinelsOptions = {}): Promise<RedisSentinels> {
    const { replicas = 1, sentinels = 3 } = options;
    const master = await startWatched(options);
    const started: AnnouncedServer[] = [master];
    try {
      const followers = Array.from({ length: replicas }, () => startWatched(options, master));
      started.push(...(await allStarted(followers)));
      const watchers = await allStarted(Array.from({ length: sentinels }, () => startSentinel(master, options)));
      const topology = new RedisSentinels([...started], watchers, options);
      started.push(...watchers);
      await topology.settled();
      return topology;
    } catch (error) {
      await Promise.all(started.map((seat) => seat.stop()));
      throw error;
    }
  }

  get sentinelServers(): readonly RedisServer[] {
    return this.watchers.map(({ server }) => server);
  }

  /** The addresses at which clients find the Sentinels. */
  get sentinels(): readonly { readonly host: string; readonly port: number }[] {
    return this.watchers.map(({ address }) => address);
  }

  get servers(): readonly RedisServer[] {
    return this.seats.map(({ server }) => server);
  }

  /** The master as it was at the start. */
  get initialMaster(): RedisServer {
    const [master] = this.servers;
    if (master === undefined) throw new Error('There is no server');
    return master;
  }

  /** The replicas at the start and those added since. */
  get replicas(): readonly RedisServer[] {
    return this.servers.slice(1);
  }

  /** A connection of the test's own to a server or a Sentinel, past its proxy. */
  admin(server: RedisServer): Redis {
    return this.seatOf(server).admin;
  }

  /** The proxy in front of the master or a replica, where they were started `behindProxies`. */
  proxyOf(server: RedisServer): FaultProxy {
    const { proxy } = this.seatOf(server);
    if (proxy === undefined) throw new Error('The servers were started without proxies');
    return proxy;
  }

  /** The master according to most of the Sentinels that answer now. */
  async master(): Promise<RedisServer> {
    const named = await this.named();
    const isMost = (port: number) => named.filter((other) => other === port).length * 2 > named.length;
    return this.serverAt(named.find(isMost));
  }

  /** Resolves when the new replica is in step and the Sentinels know it. */
  async addReplica(): Promise<RedisServer> {
    const seat = await startWatched(this.options, this.seatOf(await this.master()));
    this.seats.push(seat);
    await this.settled();
    return seat.server;
  }

  /** Resolves with the master when all Sentinels that answer agree on one, and it is another one than `from`. */
  async waitForFailOver(from: RedisServer): Promise<RedisServer> {
    await untilAgreed(async () => {
      const [master] = new Set(await this.named());
      return master !== undefined && this.serverAt(master) !== from && (await this.isMasterOfAll(master));
    }, 'the Sentinels have put another one in the place of the master');
    return this.master();
  }

  /**
   * Resolves when all Sentinels that answer know each other and one master, and all other servers that answer are
   * replicas of it and in step.
   */
  async settled(): Promise<void> {
    await untilAgreed(async () => {
      const [master] = new Set(await this.named());
      if (master === undefined || !(await this.isMasterOfAll(master))) return false;
      const others = answering(this.seats).filter(({ address }) => address.port !== master);
      const watchers = answering(this.watchers);
      const inStep = await Promise.all(others.map(({ admin }) => isInStep(admin)));
      const known = await Promise.all(watchers.map(({ admin }) => this.knows(admin, others, watchers)));
      return [...inStep, ...known].every(Boolean);
    }, 'the Sentinels know all servers and each other');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.watchers, ...this.seats].map((seat) => seat.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** The port of the master according to each Sentinel that answers. */
  private async named(): Promise<number[]> {
    const replies = await Promise.allSettled(
      answering(this.watchers).map(({ admin }) => admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.name)),
    );
    return replies.flatMap((reply) => {
      return reply.status === 'fulfilled' && Array.isArray(reply.value) ? [Number(reply.value[1])] : [];
    });
  }

  /** Whether the server at this port is the master according to all Sentinels that answer, and according to itself. */
  private async isMasterOfAll(port: number): Promise<boolean> {
    const named = await this.named();
    const { server, admin } = this.seatOf(this.serverAt(port));
    return named.every((each) => each === port) && server.isAnswering && (await admin.role())[0] === 'master';
  }

  private async knows(
    sentinel: Redis,
    replicas: readonly AnnouncedServer[],
    sentinels: readonly AnnouncedServer[],
  ): Promise<boolean> {
    const [knownReplicas, knownSentinels] = await Promise.all([
      sentinel.call('SENTINEL', 'REPLICAS', this.name),
      sentinel.call('SENTINEL', 'SENTINELS', this.name),
    ]);
    const up = new Set([...portsUp(knownReplicas), ...portsUp(knownSentinels)]);
    // A Sentinel does not list itself.
    const own = sentinel.options.port;
    return [...replicas, ...sentinels].every(({ address: { port } }) => port === own || up.has(port));
  }

  private serverAt(port: number | undefined): RedisServer {
    const seat = this.seats.find(({ address }) => address.port === port);
    if (seat === undefined) throw new Error('The Sentinels do not agree on a master');
    return seat.server;
  }

  private seatOf(server: RedisServer): AnnouncedServer {
    const seat = [...this.seats, ...this.watchers].find((each) => each.server === server);
    if (seat === undefined) throw new Error(`The server on port ${server.port} is none of these`);
    return seat;
  }
}

const answering = (seats: readonly AnnouncedServer[]) => seats.filter(({ server }) => server.isAnswering);

/** Ports of the servers in the reply that the Sentinel can reach. The reply is lists of names and values. */
const portsUp = (reply: unknown): number[] =>
  (reply as string[][]).flatMap((fields) => {
    const value = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
    return /s_down|disconnected/.test(value('flags')) ? [] : [Number(value('port'))];
  });
