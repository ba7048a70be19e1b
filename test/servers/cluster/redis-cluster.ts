import type { Redis } from 'ioredis';
import { hashSlot } from '../../../lib/keys/hash-slot.js';
import { allStarted } from '../process/all-started.js';
import { type ClusterMember, formCluster, identify, startNode, viewsOf } from './cluster-members.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import type { RedisServer } from '../redis/redis-server.js';
import { REPLICATION_SETTINGS } from '../replication/replica.js';
import { untilAgreed } from '../replication/until-agreed.js';

export interface RedisClusterOptions {
  /** Default: 3. */
  readonly masters?: number;
  /** Default: 0. */
  readonly replicasPerMaster?: number;
  /** Milliseconds without an answer after which the others regard a server as dead. Default: 2000. */
  readonly nodeTimeout?: number;
  /** Further settings of every server. */
  readonly args?: readonly string[];
  /**
   * Whether every server announces the address of a proxy of its own. Replicas use the proxies as well, but the cluster
   * bus does not, so that no fault of a proxy makes the cluster replace a master. Default: false.
   */
  readonly behindProxies?: boolean;
}

export interface MoveSlotOptions {
  /** Called when the move has begun, and when the target has the keys. */
  readonly betweenSteps?: (done: 'begun' | 'migrated') => Promise<void>;
}

const MIGRATE_TIMEOUT_MS = 5000;
/** Time after which a server forgets a request to fail over. */
const FAIL_OVER_LIMIT_MS = 5000;

/** A real cluster on loopback. Masters that fail are replaced by their replicas, if they have any. */
export class RedisCluster {
  private constructor(
    /** The servers in their roles at the start: masters, then replicas in the same order. */
    private readonly members: readonly ClusterMember[],
    private readonly masterCount: number,
  ) {}

  /** Resolves when all servers agree on their roles, and every replica is in step. */
  static async start({
    masters = 3,
    replicasPerMaster = 0,
    nodeTimeout = 2000,
    args = [],
    behindProxies = false,
  }: RedisClusterOptions = {}): Promise<RedisCluster> {
    const settings = [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeout)],
      // A test may stop one master and check the slots of the others.
      ...['--cluster-require-full-coverage', 'no', '--cluster-replica-validity-factor', '0'],
      ...REPLICATION_SETTINGS,
      ...args,
    ];
    const count = masters * (1 + replicasPerMaster);
    const nodes = await allStarted(Array.from({ length: count }, () => startNode(settings, behindProxies)));
    try {
      const cluster = new RedisCluster(await Promise.all(nodes.map(identify)), masters);
      await formCluster(cluster.members, masters);
      await cluster.settled();
      return cluster;
    } catch (error) {
      await Promise.all(nodes.map((node) => node.stop()));
      throw error;
    }
  }

  get servers(): readonly RedisServer[] {
    return this.members.map(({ server }) => server);
  }

  /** The servers that were masters at the start. */
  get masters(): readonly RedisServer[] {
    return this.servers.slice(0, this.masterCount);
  }

  /** The servers that were replicas at the start: the first is that of the first master, and so on. */
  get replicas(): readonly RedisServer[] {
    return this.servers.slice(this.masterCount);
  }

  /** The addresses that the servers announce to clients, in the order of {@link servers}. */
  get urls(): readonly string[] {
    return this.members.map(({ node }) => node.url);
  }

  /** A connection of the test's own to one server, without its proxy. It follows no redirections. */
  admin(server: RedisServer): Redis {
    return this.memberOf(server).admin;
  }

  /** The proxy in front of one server of a cluster that was started `behindProxies`. */
  proxyOf(server: RedisServer): FaultProxy {
    const { proxy } = this.memberOf(server).node;
    if (proxy === undefined) throw new Error('The cluster was started without proxies');
    return proxy;
  }

  /** The server that serves a key now. */
  async ownerOf(key: string): Promise<RedisServer> {
    return this.ownerOfSlot(hashSlot(key));
  }

  /** The server that serves a slot now. If servers disagree, it is the one with the highest epoch. */
  async ownerOfSlot(slot: number): Promise<RedisServer> {
    const views = await viewsOf(this.members);
    const claims = views.flatMap(({ view }) => view.ownerOf(slot) ?? []);
    const [latest] = claims.toSorted((a, b) => b.epoch - a.epoch);
    const owner = this.members.find(({ id }) => id === latest?.id);
    if (owner === undefined || !owner.server.isRunning) throw new Error(`No server serves slot ${slot}`);
    return owner.server;
  }

  /** Moves a slot with its keys while the cluster serves it, as an administrator does. */
  async moveSlot(slot: number, to: RedisServer, { betweenSteps }: MoveSlotOptions = {}): Promise<void> {
    const from = await this.beginMigration(slot, to);
    await betweenSteps?.('begun');
    await this.migrateKeys(slot, from, to);
    await betweenSteps?.('migrated');
    await this.finishMigration(slot, to);
  }

  /** Begins a move, so that new keys are created on the target. Resolves with the server that had the slot. */
  async beginMigration(slot: number, to: RedisServer): Promise<RedisServer> {
    const from = await this.ownerOfSlot(slot);
    const [source, target] = [this.memberOf(from), this.memberOf(to)];
    await target.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    return from;
  }

  async migrateKeys(slot: number, from: RedisServer, to: RedisServer): Promise<void> {
    const { admin } = this.memberOf(from);
    const auth = to.password === undefined ? [] : ['AUTH', to.password];
    for (;;) {
      const keys = (await admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length === 0) return;
      await admin.call('MIGRATE', to.host, to.port, '', 0, MIGRATE_TIMEOUT_MS, ...auth, 'KEYS', ...keys);
    }
  }

  async finishMigration(slot: number, to: RedisServer): Promise<void> {
    const { id } = this.memberOf(to);
    const masters = (await viewsOf(this.members)).filter(({ view }) => view.myself?.replicaOf === undefined);
    // Tells the new owner first, so that there is an owner at every instant.
    masters.sort((a, b) => Number(b.member.id === id) - Number(a.member.id === id));
    for (const { member } of masters) await member.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    // A server that does not know the new epoch yet believes the old owner, whose last message may be under way.
    await this.settled();
  }

  /**
   * Replaces a master by its replica and resolves with the replica. By default the master cooperates, so that no data
   * is lost. 'FORCE' needs only the votes of the other masters, 'TAKEOVER' not even those. Masters vote about the same
   * master once in two node time-outs, so that the next vote may take some seconds.
   */
  async failOver(master: RedisServer, how?: 'FORCE' | 'TAKEOVER'): Promise<RedisServer> {
    const { id } = this.memberOf(master);
    const replica = (await viewsOf(this.members)).find(({ view }) => view.myself?.replicaOf === id)?.member;
    if (replica === undefined) throw new Error(`The server on port ${master.port} has no replica that answers`);
    let asked = -Infinity;
    await untilAgreed(async () => {
      if ((await replica.admin.role())[0] === 'master') return true;
      if (performance.now() - asked > FAIL_OVER_LIMIT_MS) {
        asked = performance.now();
        await replica.admin.call('CLUSTER', 'FAILOVER', ...(how === undefined ? [] : [how]));
      }
      return false;
    }, 'the replica took over');
    return replica.server;
  }

  /** Resolves when all servers that answer see the same cluster, in which such servers serve all slots. */
  async settled(): Promise<void> {
    await untilAgreed(async () => {
      const views = await viewsOf(this.members);
      const ids = new Set(views.map(({ member }) => member.id));
      return new Set(views.map(({ view }) => view.roles)).size === 1 && views.every(({ view }) => view.isServedBy(ids));
    }, 'all servers agree on their roles');
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ node }) => node.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private memberOf(server: RedisServer): ClusterMember {
    const member = this.members.find((each) => each.server === server);
    if (member === undefined) throw new Error(`The server on port ${server.port} is not in the cluster`);
    return member;
  }
}
