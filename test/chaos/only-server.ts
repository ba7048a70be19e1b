import type { Redis } from 'ioredis';
import type { FaultProxy } from '../servers/proxy/fault-proxy.js';
import type { RedisServer } from '../servers/redis/redis-server.js';
import type { ChaosRun } from './chaos-run.js';

interface OnlyServer {
  readonly server: RedisServer;
  readonly admin: Redis;
  /** The network in front of the server, which can fail. */
  readonly proxy: FaultProxy;
  /** The address behind that network. */
  readonly url: string;
}

/** The server of a topology that has one. */
export const onlyServer = ({ topology }: ChaosRun): OnlyServer => {
  const [proxy] = topology.proxies;
  const [server] = topology.servers;
  if (!proxy || !server) throw new Error('There is no server behind a proxy');
  return { server, proxy, admin: topology.admin(server), url: server.url };
};
