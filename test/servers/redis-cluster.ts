import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { freePort } from './free-port.js';
import { RedisServer } from './redis-server.js';

export interface RedisClusterOptions {
  /** Default: 3. */
  readonly masters?: number;
  /** Default: 0. */
  readonly replicasPerMaster?: number;
  /** Milliseconds after which the others take a server for dead. Default: 2000. */
  readonly nodeTimeout?: number;
  /** Further settings of every server. */
  readonly args?: readonly string[];
}

const SLOTS = 16_384;
const READY_LIMIT_MS = 20_000;
/** The cluster's own port is the client's port plus this. */
const BUS_OFFSET = 10_000;

interface Member {
  readonly server: RedisServer;
  readonly admin: Redis;
  readonly id: string;
}

/** A real cluster on loopback. Masters that fail are replaced by their replicas, where they have any. */
export class RedisCluster {
  private constructor(
    /** As they were at the start: the masters first, then the replicas, in the same order. */
    private readonly members: readonly Member[],
    private readonly masterCount: number,
  ) {}

  /** Resolves when all servers agree on who serves what, and every replica is in step. */
  static async start({
    masters = 3,
    replicasPerMaster = 0,
    nodeTimeout = 2000,
    args = [],
  }: RedisClusterOptions = {}): Promise<RedisCluster> {
    const settings = [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeout)],
      // A test that stops one master looks at what becomes of the others' slots.
      ...['--cluster-require-full-coverage', 'no', '--cluster-replica-validity-factor', '0'],
      ...['--repl-diskless-sync-delay', '0', ...args],
    ];
    const count = masters * (1 + replicasPerMaster);
    const servers = await Promise.all(Array.from({ length: count }, () => startMember(settings)));
    const members = await Promise.all(servers.map(join));
    const cluster = new RedisCluster(members, masters);
    try {
      await cluster.form();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get servers(): readonly RedisServer[] {
    return this.members.map(({ server }) => server);
  }

  /** Those that were masters at the start. */
  get masters(): readonly RedisServer[] {
    return this.servers.slice(0, this.masterCount);
  }

  get replicas(): readonly RedisServer[] {
    return this.servers.slice(this.masterCount);
  }

  /** A connection of the test's own to one server, which asks for nothing elsewhere. */
  admin(server: RedisServer): Redis {
    return this.memberOf(server).admin;
  }

  /** Who serves a key now, asked of the servers that run and whom all others follow. */
  async ownerOf(key: string): Promise<RedisServer> {
    return this.ownerOfSlot(hashSlot(key));
  }

  async ownerOfSlot(slot: number): Promise<RedisServer> {
    for (const { server, admin } of this.members) {
      if (!server.isRunning || admin.status !== 'ready') continue;
      const port = ownerIn(await admin.cluster('SLOTS'), slot);
      const owner = this.servers.find((other) => other.port === port && other.isRunning);
      if (owner) return owner;
    }
    throw new Error(`Nobody serves slot ${slot}`);
  }

  /** Moves a slot with its keys while the cluster serves it, as an administrator does. */
  async moveSlot(slot: number, to: RedisServer): Promise<void> {
    const from = await this.beginMigration(slot, to);
    await this.migrateKeys(slot, from, to);
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
    for (;;) {
      const keys = (await admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length === 0) return;
      await admin.call('MIGRATE', to.host, to.port, '', 0, 5000, 'KEYS', ...keys);
    }
  }

  async finishMigration(slot: number, to: RedisServer): Promise<void> {
    const { id } = this.memberOf(to);
    const masters = await this.runningMasters();
    // The new owner first, so that there is one at every instant.
    masters.sort((a, b) => Number(b.id === id) - Number(a.id === id));
    for (const { admin } of masters) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', id);
  }

  /** A replica takes its master's place: by agreement (`undefined`), or without asking it. */
  async failOver(replica: RedisServer, how?: 'FORCE' | 'TAKEOVER'): Promise<void> {
    const { admin } = this.memberOf(replica);
    await admin.call('CLUSTER', 'FAILOVER', ...(how ? [how] : []));
    await until(async () => (await admin.role())[0] === 'master', 'the replica took over');
  }

  /** Resolves when every server that runs sees the whole cluster served by servers that run. */
  async settled(): Promise<void> {
    await until(async () => {
      const running = this.members.filter(({ server }) => server.isRunning);
      const views = await Promise.all(running.map(({ admin }) => viewOf(admin)));
      const ports = new Set(running.map(({ server }) => server.port));
      return new Set(views.map((view) => view.text)).size === 1 && views.every((view) => view.isServedBy(ports));
    }, 'all servers agree on who serves what');
  }

  async stop(): Promise<void> {
    for (const { admin } of this.members) admin.disconnect();
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async form(): Promise<void> {
    const [first, ...others] = this.members;
    if (!first) throw new Error('A cluster needs a server');
    const { masterCount } = this;
    await Promise.all(
      this.members.slice(0, masterCount).map(({ admin }, index) => {
        const from = Math.floor((index * SLOTS) / masterCount);
        const to = Math.floor(((index + 1) * SLOTS) / masterCount) - 1;
        return admin.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
      }),
    );
    await Promise.all(this.members.map(({ admin }, index) => admin.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)));
    for (const { server } of others) await first.admin.call('CLUSTER', 'MEET', server.host, server.port);
    const everybody = this.members.length;
    await until(async () => {
      const known = await Promise.all(this.members.map(({ admin }) => admin.call('CLUSTER', 'NODES')));
      return known.every((nodes) => String(nodes).trim().split('\n').length === everybody);
    }, 'all servers know each other');
    await Promise.all(
      this.members.slice(masterCount).map(async ({ admin }, index) => {
        const master = this.members[index % masterCount];
        if (master) await admin.call('CLUSTER', 'REPLICATE', master.id);
      }),
    );
    await until(async () => {
      const infos = await Promise.all(this.members.map(({ admin }) => admin.call('CLUSTER', 'INFO')));
      if (!infos.every((info) => String(info).includes('cluster_state:ok'))) return false;
      const links = await Promise.all(this.members.slice(masterCount).map(({ admin }) => admin.info('replication')));
      return links.every((link) => link.includes('master_link_status:up'));
    }, 'the cluster serves all slots');
    await this.settled();
  }

  private async runningMasters(): Promise<Member[]> {
    const running = this.members.filter(({ server }) => server.isRunning);
    const roles = await Promise.all(running.map(({ admin }) => admin.role()));
    return running.filter((_, index) => roles[index]?.[0] === 'master');
  }

  private memberOf(server: RedisServer): Member {
    const member = this.members.find((each) => each.server === server);
    if (!member) throw new Error(`The server on port ${server.port} is none of the cluster`);
    return member;
  }
}

const startMember = async (args: readonly string[]): Promise<RedisServer> => {
  for (;;) {
    const port = await freePort();
    if (port + BUS_OFFSET > 65_535) continue;
    const name = `nodes-${port}.conf`;
    return await RedisServer.start({ port, args: [...args, '--cluster-config-file', name] });
  }
};

const join = async (server: RedisServer): Promise<Member> => {
  const admin = new Redis(server.url);
  // Servers are killed on purpose.
  admin.on('error', () => {});
  return { server, admin, id: String(await admin.call('CLUSTER', 'MYID')) };
};

const ownerIn = (slots: unknown, slot: number): number | undefined => {
  const ranges = slots as readonly [number, number, readonly [string, number]][];
  return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
};

const viewOf = async (admin: Redis): Promise<{ text: string; isServedBy(ports: ReadonlySet<number>): boolean }> => {
  const ranges = (await admin.cluster('SLOTS')) as unknown as [number, number, [string, number], ...unknown[]][];
  const owners = ranges.map(([from, to, [, port]]) => ({ from, to, port })).toSorted((a, b) => a.from - b.from);
  const covered = owners.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return {
    text: JSON.stringify(owners),
    isServedBy: (ports) => covered === SLOTS && owners.every(({ port }) => ports.has(port)),
  };
};

const until = async (condition: () => Promise<boolean>, what: string): Promise<void> => {
  const limit = performance.now() + READY_LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > limit) throw new Error(`Not within ${READY_LIMIT_MS} ms: ${what}`);
    await sleep(20);
  }
};
