import type { Redis } from 'ioredis';
import { AnnouncedServer } from '../redis/announced-server.js';
import { ClusterView } from './cluster-view.js';
import type { RedisServer } from '../redis/redis-server.js';
import { isInStep } from '../replication/replica.js';
import { untilAgreed } from '../replication/until-agreed.js';

/** A server of a cluster, with the id by which the others know it. */
export interface ClusterMember {
  readonly node: AnnouncedServer;
  readonly server: RedisServer;
  readonly admin: Redis;
  readonly id: string;
}

const SLOTS = 16_384;
/** Distance from the port for clients to the port of the cluster bus. */
const BUS_OFFSET = 10_000;

/** Starts a server that is to join a cluster. */
export const startNode = (args: readonly string[], behindProxy: boolean): Promise<AnnouncedServer> =>
  AnnouncedServer.start({ args, behindProxy, announce, busOffset: BUS_OFFSET });

/** Reads the id of a server. */
export async function identify(node: AnnouncedServer): Promise<ClusterMember> {
  const { server, admin } = node;
  return { node, server, admin, id: String(await admin.call('CLUSTER', 'MYID')) };
}

/** Makes a cluster of servers that do not know each other. The first replica is that of the first master, and so on. */
export async function formCluster(members: readonly ClusterMember[], masterCount: number): Promise<void> {
  const [first, ...others] = members;
  if (first === undefined) throw new Error('A cluster needs a server');
  await Promise.all(
    members.slice(0, masterCount).map(({ admin }, index) => admin.cluster('ADDSLOTS', ...slotsOf(index, masterCount))),
  );
  await Promise.all(members.map(({ admin }, index) => admin.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)));
  for (const { node, server } of others) {
    const { host, port } = node.address;
    await first.admin.call('CLUSTER', 'MEET', host, port, server.port + BUS_OFFSET);
  }
  await untilAgreed(async () => {
    const views = await viewsOf(members);
    return views.every(({ view }) => members.every(({ id }) => view.servers.some((server) => server.id === id)));
  }, 'all servers know each other');
  const replicas = members.slice(masterCount);
  await Promise.all(
    replicas.map(async ({ admin }, index) => {
      const master = members[index % masterCount];
      if (master !== undefined) await admin.call('CLUSTER', 'REPLICATE', master.id);
    }),
  );
  await untilAgreed(async () => {
    const infos = await Promise.all(members.map(({ admin }) => admin.call('CLUSTER', 'INFO')));
    if (!infos.every((info) => String(info).includes('cluster_state:ok'))) return false;
    return (await Promise.all(replicas.map(({ admin }) => isInStep(admin)))).every(Boolean);
  }, 'the cluster serves all slots');
}

/** The cluster as each server that answers sees it. */
export async function viewsOf(
  members: readonly ClusterMember[],
): Promise<{ readonly member: ClusterMember; readonly view: ClusterView }[]> {
  const answering = members.filter(({ server }) => server.isAnswering);
  const outcomes = await Promise.allSettled(
    answering.map(async (member) => ({
      member,
      view: new ClusterView(String(await member.admin.call('CLUSTER', 'NODES'))),
    })),
  );
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

const announce = (announced: number, port: number): string[] => [
  ...['--cluster-announce-ip', '127.0.0.1', '--cluster-announce-port', String(announced)],
  ...['--cluster-announce-bus-port', String(port + BUS_OFFSET)],
];

/** The slots of one of `count` masters. */
const slotsOf = (index: number, count: number): number[] => {
  const from = Math.floor((index * SLOTS) / count);
  const to = Math.floor(((index + 1) * SLOTS) / count);
  return Array.from({ length: to - from }, (_, n) => from + n);
};
