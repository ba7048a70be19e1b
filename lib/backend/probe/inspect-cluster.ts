import type { Address, ClusterServers } from '../cluster/cluster-servers.js';
import { askWhetherSharded } from '../cluster/cluster-view.js';
import { SlotMap } from '../cluster/slot-map.js';
import { type IntendedUse, lookAtServer, type ServerReport } from './inspect-server.js';
import { type ProbeNames, probeNames } from './probe-names.js';
import { isForbidden, ProbeConnection, type ProbeTerms } from './probe-connection.js';
import { type MissingPermissions, together } from './permissions.js';

interface ClusterLook {
  readonly keyPrefix: string;
  readonly shardedPubSub: 'auto' | boolean;
  readonly use: Omit<IntendedUse, 'isCluster' | 'publish' | 'database'>;
}

/** A server's report about the whole cluster. */
interface ReportedSlots {
  readonly asked: Address;
  /** `undefined`: this user may not ask for it, or the server knows of no cluster. */
  readonly map: SlotMap | undefined;
  readonly isSharded: boolean;
  /** Whether the server reports that it is not part of a cluster. */
  readonly isAlone: boolean;
  readonly lacks: MissingPermissions;
  readonly untold: readonly string[];
}

/** Among so many names there is one on each master, even with as many masters as a cluster may have. */
const MOST_NAMES = 20_000;

/**
 * Inspects every master of a cluster; if no server reports them, one server.
 * @throws LockUnavailableError if one of them does not answer now.
 */
export const lookAtCluster = async (
  servers: ClusterServers,
  { keyPrefix, shardedPubSub, use }: ClusterLook,
  terms: ProbeTerms,
): Promise<readonly ServerReport[]> => {
  const asked = servers.seeds.map((seed) => askView(servers, seed, terms));
  const { asked: first, map, isSharded, isAlone, lacks, untold } = await anyOf(asked);
  const publish = (shardedPubSub === 'auto' ? isSharded : shardedPubSub) ? 'SPUBLISH' : 'PUBLISH';
  const masters = map ? [...map.masters] : [first];
  const seen = await Promise.all(
    masters.map((address) => {
      const names = map ? namesOn(map, address, keyPrefix) : probeNames(keyPrefix);
      const place = { target: servers.connectionTo(address), address, names };
      return lookAtServer(place, { ...use, isCluster: true, publish, database: 0 }, terms);
    }),
  );
  return seen.map((server) => ({
    ...server,
    isClusterNode: server.isClusterNode ?? (isAlone ? false : undefined),
    lacks: together([lacks, server.lacks]),
    untold: [...server.untold, ...untold],
  }));
};

const anyOf = async (asked: readonly Promise<ReportedSlots>[]): Promise<ReportedSlots> => {
  try {
    return await Promise.any(asked);
  } catch (error) {
    const [first]: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    throw first;
  }
};

const askView = async (servers: ClusterServers, asked: Address, terms: ProbeTerms): Promise<ReportedSlots> => {
  const server = new ProbeConnection(servers.connectionTo(asked), 'commands', terms);
  try {
    await server.connected();
    const [slots, info, isSharded] = await Promise.all([
      server.answer((connection) => connection.send(['CLUSTER', 'SLOTS'])),
      server.answer((connection) => connection.send(['CLUSTER', 'INFO'])),
      askWhetherSharded(server),
    ]);
    const reachable = (host: string, port: number): Address => servers.reachable(host, port);
    const map = 'reply' in slots ? SlotMap.parse(slots.reply, asked, reachable) : undefined;
    const rules = isForbidden(slots) ? ['+cluster|slots'] : [];
    const untold = isForbidden(info) ? ['+cluster|info'] : [];
    const isAlone = 'refusal' in slots && slots.refusal.includes('cluster support disabled');
    return { asked, map, isSharded, isAlone, lacks: { rules, commands: [] }, untold };
  } finally {
    await server.close();
  }
};

/** Probe names in a slot of this master. */
const namesOn = (map: SlotMap, address: Address, keyPrefix: string): ProbeNames => {
  for (let number = 0; number < MOST_NAMES; number++) {
    const names = probeNames(keyPrefix, `:${number}`);
    if (map.masterOf(names.lock) === address) return names;
  }
  // A prefix with a hash tag puts every name into one slot.
  return probeNames(keyPrefix);
};
