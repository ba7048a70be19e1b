import type { Redis } from 'ioredis';
import { allStarted } from '../process/all-started.js';
import type { AnnouncedServer } from '../redis/announced-server.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import type { RedisServer } from '../redis/redis-server.js';
import { isInStep } from '../replication/replica.js';
import { MASTER_NAME, type RedisSentinelsOptions, startMonitored, startSentinel } from './sentinel-servers.js';
import { untilAgreed } from '../replication/until-agreed.js';

/** A real master with replicas, monitored by Sentinels that replace it by a replica when it fails. */
export class RedisSentinels {
  /** The name of the master at the Sentinels. */
  readonly name = MASTER_NAME;

  private constructor(
    private readonly nodes: AnnouncedServer[],
    private readonly sentinelNodes: readonly AnnouncedServer[],
    private readonly options: RedisSentinelsOptions,
  ) {}

  /** Resolves when the Sentinels know the replicas and each other. */
  static async start(options: RedisSentinelsOptions = {}): Promise<RedisSentinels> {
    const { replicas = 1, sentinels = 3 } = options;
    const master = await startMonitored(options);
    const started: AnnouncedServer[] = [master];
    try {
      const starting = Array.from({ length: replicas }, () => startMonitored(options, master));
      started.push(...(await allStarted(starting)));
      const sentinelNodes = await allStarted(Array.from({ length: sentinels }, () => startSentinel(master, options)));
      const topology = new RedisSentinels([...started], sentinelNodes, options);
      started.push(...sentinelNodes);
      await topology.settled();
      return topology;
    } catch (error) {
      await Promise.all(started.map((node) => node.stop()));
      throw error;
    }
  }

  get sentinelServers(): readonly RedisServer[] {
    return this.sentinelNodes.map(({ server }) => server);
  }

  /** The addresses at which clients find the Sentinels. */
  get sentinels(): readonly { readonly host: string; readonly port: number }[] {
    return this.sentinelNodes.map(({ address }) => address);
  }

  get servers(): readonly RedisServer[] {
    return this.nodes.map(({ server }) => server);
  }

  /** The master as it was at the start. */
  get initialMaster(): RedisServer {
    const [master] = this.servers;
    if (master === undefined) throw new Error('There is no server');
    return master;
  }

  /** The replicas of the start, and those added since. */
  get replicas(): readonly RedisServer[] {
    return this.servers.slice(1);
  }

  /** A connection of the test's own to a server or a Sentinel, without its proxy. */
  admin(server: RedisServer): Redis {
    return this.nodeOf(server).admin;
  }

  /** The proxy in front of the master or a replica, where they were started `behindProxies`. */
  proxyOf(server: RedisServer): FaultProxy {
    const { proxy } = this.nodeOf(server);
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
    const node = await startMonitored(this.options, this.nodeOf(await this.master()));
    this.nodes.push(node);
    await this.settled();
    return node.server;
  }

  /** Resolves with the master when all Sentinels that answer agree on one other than `from`. */
  async waitForFailOver(from: RedisServer): Promise<RedisServer> {
    await untilAgreed(async () => {
      const [master] = new Set(await this.named());
      return master !== undefined && this.serverAt(master) !== from && (await this.isMasterOfAll(master));
    }, 'the Sentinels have replaced the master');
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
      const others = answering(this.nodes).filter(({ address }) => address.port !== master);
      const sentinelNodes = answering(this.sentinelNodes);
      const inStep = await Promise.all(others.map(({ admin }) => isInStep(admin)));
      const known = await Promise.all(sentinelNodes.map(({ admin }) => this.knows(admin, others, sentinelNodes)));
      return [...inStep, ...known].every(Boolean);
    }, 'the Sentinels know all servers and each other');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinelNodes, ...this.nodes].map((node) => node.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** The port of the master according to each Sentinel that answers. */
  private async named(): Promise<number[]> {
    const replies = await Promise.allSettled(
      answering(this.sentinelNodes).map(({ admin }) => admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.name)),
    );
    return replies.flatMap((reply) => {
      return reply.status === 'fulfilled' && Array.isArray(reply.value) ? [Number(reply.value[1])] : [];
    });
  }

  /** Whether the server at this port is the master according to all Sentinels that answer, and according to itself. */
  private async isMasterOfAll(port: number): Promise<boolean> {
    const named = await this.named();
    const { server, admin } = this.nodeOf(this.serverAt(port));
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
    const node = this.nodes.find(({ address }) => address.port === port);
    if (node === undefined) throw new Error('The Sentinels do not agree on a master');
    return node.server;
  }

  private nodeOf(server: RedisServer): AnnouncedServer {
    const node = [...this.nodes, ...this.sentinelNodes].find((each) => each.server === server);
    if (node === undefined) throw new Error(`The server on port ${server.port} is not one of these`);
    return node;
  }
}

const answering = (nodes: readonly AnnouncedServer[]) => nodes.filter(({ server }) => server.isAnswering);

/** Ports of the servers that the Sentinel can reach. The reply has a list of names and values for each server. */
const portsUp = (reply: unknown): number[] =>
  (reply as string[][]).flatMap((fields) => {
    const value = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
    return /s_down|disconnected/.test(value('flags')) ? [] : [Number(value('port'))];
  });
