import { hashSlot } from '../../lib/keys/hash-slot.js';
import { holderRecords } from '../../lib/keys/redisson-keys.js';
import { Time } from '../kit/time.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { LOCKS } from '../topologies/every-kind.js';
import { TopologyClients } from '../topologies/clients.js';

const time = Time.real();
let cluster: RedisCluster;
const clients = new TopologyClients(() => ({ cluster: cluster.masters.slice(0, 1).map(({ url }) => url) }));

beforeAll(async () => {
  cluster = await RedisCluster.start();
});

afterEach(async () => {
  await clients.close();
  for (const server of cluster.masters) await cluster.admin(server).flushall();
});

afterAll(() => cluster.stop());

describe('In a cluster', () => {
  it.each(LOCKS.filter(([kind]) => kind !== 'multi'))(
    'a %s lock is inspected, with its record, and its holder is released',
    async (_, lockOf) => {
      const [one, other] = await Promise.all([clients.open({ holderRecords: { service: 'shop' } }), clients.open()]);
      const hold = await lockOf(one.locks, 'order:7').acquire();
      const lock = lockOf(other.locks, 'order:7');
      await time.until(async () => (await lock.inspect()).holders[0]?.record !== undefined, 5000);
      await expect(lock.inspect()).resolves.toMatchObject({
        state: 'held',
        holders: [{ owner: hold.owner, record: { service: 'shop', pid: process.pid }, isThisProcess: false }],
      });
      expect(hashSlot(`${holderRecords('order:7')}${hold.owner}`)).toBe(hashSlot('order:7'));
      await expect(other.locks.releaseHolder('order:7', hold.owner)).resolves.toBe(true);
      await expect(lock.inspect()).resolves.toMatchObject({ state: 'free', holders: [] });
      await expect(hold.release()).resolves.toBe('expired');
    },
  );

  it('a list has the locks of all masters, once each', async () => {
    const { locks } = await clients.open();
    const names = Array.from({ length: 60 }, (_, at) => `order:${at}`);
    await Promise.all(names.map((name) => locks.getLock(name).acquire()));
    await locks.getReadWriteLock('stock').readLock().acquire();
    const found: string[] = [];
    for await (const { name } of locks.list('order:*', { batch: 5 })) found.push(name);
    expect(found.toSorted()).toEqual(names.toSorted());
    const keys = await Promise.all(cluster.masters.map((server) => cluster.admin(server).dbsize()));
    expect(keys.filter((count) => count > 0)).toHaveLength(cluster.masters.length);
  });

  it('who waits is told, also without messages of a shard', async () => {
    for (const shardedPubSub of ['auto', false] as const) {
      const [one, other] = await Promise.all([clients.open({ shardedPubSub }), clients.open({ shardedPubSub })]);
      const hold = await one.locks.getFairLock('order:7').acquire();
      const waiting = other.locks.getFairLock('order:7').acquire({ wait: '20s' });
      const lock = one.locks.getFairLock('order:7');
      await time.until(async () => (await lock.inspect()).waiting.count === 1, 5000);
      await hold.release();
      const next = await time.finish(waiting, 20_000);
      await expect(next.release()).resolves.toBe('released');
    }
  });
});
