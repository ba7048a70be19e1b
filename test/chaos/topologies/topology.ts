import type { RedisLockOptions } from '../../../lib/index.js';
import type { Redis } from 'ioredis';
import type { FaultProxy } from '../../servers/proxy/fault-proxy.js';
import type { RedisServer } from '../../servers/redis/redis-server.js';

export const TOPOLOGIES = ['standalone', 'sentinel', 'cluster', 'redlock'] as const;
export type TopologyName = (typeof TOPOLOGIES)[number];

/** Real servers, and the options by which clients find them. */
export interface Topology {
  readonly name: TopologyName;
  /** Options of the module for these servers, as JSON. */
  readonly options: RedisLockOptions;
  readonly servers: readonly RedisServer[];
  /** Proxies between clients and servers, if the topology has any. */
  readonly proxies: readonly FaultProxy[];
  /** A connection of the harness. Its errors are ignored, because servers fail on purpose. */
  admin(server: RedisServer): Redis;
  /** The masters that answer at the moment. */
  masters(): Promise<readonly RedisServer[]>;
  /** Resolves when the topology works again after faults. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** All keys of all masters, each with its time to live, ms; -1 means no end, or that the server does not serve the key. */
export const keysOf = async (topology: Topology): Promise<{ readonly key: string; readonly ttl: number }[]> => {
  const found = (await topology.masters()).map(async (server) => {
    const admin = topology.admin(server);
    const keys = await admin.keys('*');
    return Promise.all(keys.map(async (key) => ({ key, ttl: await admin.pttl(key).catch(() => -1) })));
  });
  return (await Promise.all(found)).flat();
};
