import type { Redis } from 'ioredis';
import { hashSlot } from '../../../lib/keys/hash-slot.js';
import { allStarted } from '../process/all-started.js';
import { type ClusterMember, form, join, startSeat, viewsOf } from './cluster-members.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import type { RedisServer } from '../redis/redis-server.js';
import { REPLICATION_SETTINGS } from '../replication/replica.js';
import { untilAgreed } from '../replication/until-agreed.js';

export interface RedisClusterOptions {
  /** Default: 3. */
  readonly masters?: number;
  /** Default: 0. */
  readonly replicasPerMaster?: number;
  /** Milliseconds after which the others take a server for dead. Default: 2000. */
  readonly nodeTimeout?: number;
  /** Further settings of every server. */
  readonly args?: readonly string[];
  /**
   * Every server tells clients to come through a proxy of its own. Replicas follow their masters through those as well,
   * but the servers still see each other directly, so that no fault of a proxy makes the cluster replace a master.
   * Default: false.
   */
  readonly behindProxies?: boolean;
}

export interface MoveSlotOptions {
  /** Called when the move has begun, and when the keys are at the new place. */
  readonly betweenSteps?: (done: 'begun' | 'migrated') => Promise<void>;
}

const MIGRATE_TIMEOUT_MS = 5000;
/** After that a server forgets that it was asked to fail over. */
const FAIL_OVER_LIMIT_MS = 5000;

/** A real cluster on loopback. Masters that fail are replaced by their replicas, where they have any. */
export class RedisCluster {
  private constructor(
    /** As they were at the start: the masters first, then the replicas, in the same order. */
    private readonly members: readonly ClusterMember[],
    private readonly masterCount: number,
  ) {}

  /** Resolves when all servers agree on who is what, and every replica is in step. */
  static async start({
    masters = 3,
    replicasPerMaster = 0,
    nodeTimeout = 2000,
    args = [],
    behindProxies = false,
  }: RedisClusterOptions = {}): Promise<RedisCluster> {
    const settings = [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeout)],
      // A test that stops one master looks at what becomes of the others' slots.
      ...['--cluster-require-full-coverage', 'no', '--cluster-replica-validity-factor', '0'],
      ...REPLICATION_SETTINGS,
      ...args,
    ];
    const count = masters * (1 + replicasPerMaster);
    const seats = await allStarted(Array.from({ length: count }, () => startSeat(settings, behindProxies)));
    try {
      const cluster = new RedisCluster(await Promise.all(seats.map(join)), masters);
      await form(cluster.members, masters);
      await cluster.settled();
      return cluster;
    } catch (error) {
      await Promise.all(seats.map((seat) => seat.stop()));
      throw error;
    }
  }

  get servers(): readonly RedisServer[] {
    return this.members.map(({ server }) => server);
  }

  /** Those that were masters at the start. */
  get masters(): readonly RedisServer[] {
    return this.servers.slice(0, this.masterCount);
  }

  /** Those that were replicas at the start: the first is that of the first master, and so on. */
  get replicas(): readonly RedisServer[] {
    return this.servers.slice(this.masterCount);
  }

  /** Where clients are told to find the servers, in the order of {@link servers}. */
  get urls(): readonly string[] {
    return this.members.map(({ seat }) => seat.url);
  }

  /** A connection of the test's own to one server, past its proxy, which asks for nothing elsewhere. */
  admin(server: RedisServer): Redis {
    return this.memberOf(server).admin;
  }

  /** The proxy in front of one server of a cluster that was started `behindProxies`. */
  proxyOf(server: RedisServer): FaultProxy {
    const { proxy } = this.memberOf(server).seat;
    if (proxy === undefined) throw new Error('The cluster was started without proxies');
    return proxy;
  }

  /** Who serves a key now. */
  async ownerOf(key: string): Promise<RedisServer> {
    return this.ownerOfSlot(hashSlot(key));
  }

  /** Who serves a slot now. Where servers disagree, the one with the latest claim does, as among themselves. */
  async ownerOfSlot(slot: number): Promise<RedisServer> {
    const views = await viewsOf(this.members);
    const claims = views.flatMap(({ view }) => view.ownerOf(slot) ?? []);
    const [latest] = claims.toSorted((a, b) => b.epoch - a.epoch);
    const owner = this.members.find(({ id }) => id === latest?.id);
    if (owner === undefined || !owner.server.isRunning) throw new Error(`Nobody serves slot ${slot}`);
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

  /** From now on keys that do not exist are made at the new place. Resolves with the old one. */
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
    // The new owner first, so that there is one at every instant.
    masters.sort((a, b) => Number(b.member.id === id) - Number(a.member.id === id));
    for (const { member } of masters) await member.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    // Who does not know yet by which right it is the new owner believes the old one, whose last message may be on its way.
    await this.settled();
  }

  /**
   * A replica takes the place of its master and is returned: with the master's consent, which loses nothing; or without
   * asking it, by vote of the other masters ('FORCE') or without even that ('TAKEOVER'). Masters vote about the same one
   * once in two node time-outs, so that the next vote may take some seconds.
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

  /** Resolves when every server that answers sees the same cluster, and all slots served by servers that answer. */
  async settled(): Promise<void> {
    await untilAgreed(async () => {
      const views = await viewsOf(this.members);
      const ids = new Set(views.map(({ member }) => member.id));
      return new Set(views.map(({ view }) => view.roles)).size === 1 && views.every(({ view }) => view.isServedBy(ids));
    }, 'all servers agree on who is what');
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ seat }) => seat.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private memberOf(server: RedisServer): ClusterMember {
    const member = this.members.find((each) => each.server === server);
    if (member === undefined) throw new Error(`The server on port ${server.port} is none of the cluster`);
    return member;
  }
}
