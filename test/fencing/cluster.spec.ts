import { Cluster } from 'ioredis';
import { StaleFenceError } from 'nest-redis-lock';
import { RedisFenceStore, setIfFence } from 'nest-redis-lock/fencing';
import { caught } from '../kit/caught.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';

describe('Fences in a cluster', () => {
  let servers: RedisCluster;

  beforeAll(async () => {
    servers = await RedisCluster.start();
  });

  afterAll(() => servers.stop());

  it.each([
    ['without a key prefix', {}],
    ['with a key prefix', { keyPrefix: 'app:' }],
    ['with a key prefix of its connections', { redisOptions: { keyPrefix: 'app:' } }],
  ])('refuse stale writers of keys in many slots, for a client %s', async (_, options) => {
    const client = new Cluster([...servers.urls], options);
    const keys = Array.from({ length: 20 }, (_each, index) => `report:${index}`);
    for (const key of [...keys, '{may}:report']) {
      await setIfFence(client, key, 'late', 8n);
      const error = await caught(setIfFence(client, key, 'stale', 7n), StaleFenceError);
      expect(error).toMatchObject({ resource: key, lastFence: 8n });
      await expect(client.get(key)).resolves.toBe('late');
    }
    const store = new RedisFenceStore(client);
    await expect(store.advance('ledger', 8n)).resolves.toBe(8n);
    await expect(store.advance('ledger', 7n)).resolves.toBe(8n);
    client.disconnect();
  });
});
