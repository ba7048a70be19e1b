import { FaultProxy } from '../../servers/proxy/fault-proxy.js';
import { RedisServer } from '../../servers/redis/redis-server.js';
import { Admins } from './admins.js';
import type { Topology } from './topology.js';

const MASTERS = 5;

/** Five independent masters, each behind a network of its own. */
export const startRedlock = async (): Promise<Topology> => {
  const servers = await Promise.all(Array.from({ length: MASTERS }, () => RedisServer.start()));
  const proxies = await Promise.all(servers.map((server) => FaultProxy.start(server)));
  const admins = new Admins();
  return {
    name: 'redlock',
    options: { redLock: { nodes: proxies.map(({ url }) => url), nodeTimeout: 200 } },
    servers,
    proxies,
    admin: (of) => admins.of(of),
    masters: async () => servers,
    settled: async () => {
      for (const proxy of proxies) proxy.heal();
      for (const server of servers) {
        if (!server.isRunning) await server.restart();
        server.resume();
        await admins.of(server).ping();
      }
    },
    stop: async () => {
      admins.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
};
