import { LockLostError } from '../../lib/standalone.js';
import { holdersChannel, keyspaceChannel } from '../../lib/keys/redisson-keys.js';
import { Time } from '../kit/time.js';
import type { Client, ClientOptions } from '../kit/client.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import type { RedisServer } from '../servers/redis/redis-server.js';
import { RedisSentinels } from '../servers/sentinel/redis-sentinels.js';
import { TopologyClients } from './clients.js';

const time = Time.real();
const SILENT = { log: () => {}, warn: () => {}, error: () => {} };
const args = ['--notify-keyspace-events', 'Kgx'];

/** A client that knows its servers, as after the start of an application. */
const openKnowing = async (clients: TopologyClients, options?: ClientOptions): Promise<Client> => {
  const client = await clients.open(options);
  await client.runtime.probe.run(SILENT);
  return client;
};

describe('Behind Sentinels', () => {
  it('a deleted key is told of by the first master, and by the next one', async () => {
    const sentinels = await RedisSentinels.start({ args });
    const clients = new TopologyClients(() => ({ name: sentinels.name, sentinels: [...sentinels.sentinels] }));
    try {
      const { locks } = await openKnowing(clients);
      const holds = [await locks.acquire('a'), await locks.acquire('b')] as const;
      expect(holds.map(({ signal }) => signal.aborted)).toEqual([false, false]);
      const { initialMaster } = sentinels;
      const isListeningAt = (server: RedisServer, name: string) => async (): Promise<boolean> => {
        const channels = await sentinels.admin(server).pubsub('CHANNELS');
        return channels.includes(keyspaceChannel(0, name));
      };
      await time.until(isListeningAt(initialMaster, 'a'), 2000);
      await sentinels.admin(initialMaster).del('a');
      await time.until(() => holds[0].signal.aborted, time.slack);
      expect(holds[0].signal.reason).toBeInstanceOf(LockLostError);
      const [sentinel] = sentinels.sentinelServers;
      if (sentinel === undefined) throw new Error('There is no Sentinel');
      await sentinels.admin(sentinel).call('SENTINEL', 'FAILOVER', sentinels.name);
      const master = await sentinels.waitForFailOver(initialMaster);
      await time.until(isListeningAt(master, 'b'), 5000);
      expect(holds[1].signal.aborted).toBe(false);
      await sentinels.admin(master).del('b');
      await time.until(() => holds[1].signal.aborted, time.slack);
    } finally {
      await clients.close();
      await sentinels.stop();
    }
  });
});

describe('In a cluster', () => {
  it('no client listens to keys', async () => {
    const cluster = await RedisCluster.start({ args });
    const clients = new TopologyClients(() => ({ cluster: [...cluster.urls] }));
    try {
      const { locks } = await openKnowing(clients, { shardedPubSub: false });
      const hold = await locks.acquire('n');
      expect(hold.signal.aborted).toBe(false);
      const channels = async (): Promise<readonly string[]> => {
        const found = await Promise.all(cluster.servers.map((server) => cluster.admin(server).pubsub('CHANNELS')));
        return found.flat().map(String);
      };
      await time.until(async () => (await channels()).includes(holdersChannel('n')), 2000);
      expect((await channels()).filter((channel) => channel.startsWith('__keyspace'))).toEqual([]);
    } finally {
      await clients.close();
      await cluster.stop();
    }
  });
});
