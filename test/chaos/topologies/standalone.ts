import { FaultProxy } from '../../servers/proxy/fault-proxy.js';
import { RedisServer } from '../../servers/redis/redis-server.js';
import { Admins } from './admins.js';
import type { Topology } from './topology.js';

/** One server behind a network that can fail. */
export const startStandalone = async (args: readonly string[] = []): Promise<Topology> => {
  const server = await RedisServer.start({ args: ['--enable-debug-command', 'yes', ...args] });
  const proxy = await FaultProxy.start(server);
  const admins = new Admins();
  return {
    name: 'standalone',
    options: { connection: proxy.url },
    servers: [server],
    proxies: [proxy],
    admin: (of) => admins.of(of),
    masters: async () => [server],
    settled: async () => {
      proxy.heal();
      if (!server.isRunning) await server.restart();
      server.resume();
      await admins.of(server).ping();
    },
    stop: async () => {
      admins.close();
      await proxy.close();
      await server.stop();
    },
  };
};
