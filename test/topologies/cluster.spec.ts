import { createCluster } from 'redis';
import { createCluster as createCluster5 } from 'redis5';
import { Cluster, type Redis } from 'ioredis';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { Time } from '../kit/time.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { itWith, serverHas } from '../servers/redis/server-features.js';
import { TopologyClients } from './clients.js';
import { LOCKS, useSynchronizers } from './every-kind.js';
import { lockChannel, waitingClients } from '../../lib/keys/redisson-keys.js';

type RootNodes = { readonly socket: { readonly host: string; readonly port: number } }[];

const time = Time.real();
/** The time within which a message wakes a waiter. A poll (5 s) or the end of a lease would take longer. */
const AT_ONCE_MS = 500;

let cluster: RedisCluster;
const seeds = () => ({ cluster: cluster.masters.slice(1, 2).map(({ url }) => url) });
const clients = new TopologyClients(seeds);

beforeAll(async () => {
  cluster = await RedisCluster.start({ replicasPerMaster: 1 });
});

afterEach(async () => {
  await clients.close();
  for (const server of cluster.masters) await cluster.admin(server).flushall();
});

afterAll(() => cluster.stop());

/** Whether a client listens for releases of the lock on this server. */
const hasShardListener = async (server: Redis, name: string): Promise<boolean> => {
  const channels: unknown = await server.pubsub('SHARDCHANNELS');
  return Array.isArray(channels) && channels.includes(lockChannel(name));
};

/** Whether a client listens on any server, which get all messages that are not of a shard. */
const hasListener = async (name: string): Promise<boolean> => {
  const channels = await Promise.all(cluster.servers.map((server) => cluster.admin(server).pubsub('CHANNELS')));
  return channels.flat().includes(lockChannel(name));
};

describe('In a cluster', () => {
  it.each(LOCKS)(
    'TP-01 TP-02 FE-08 the %s lock is acquired, inspected and released, three times',
    async (_, lockOf) => {
      const { locks } = await clients.open();
      const lock = lockOf(locks, 'order:7');
      for (let round = 0; round < 3; round++) {
        const hold = await lock.acquire();
        expect(await lock.isLocked()).toBe(true);
        expect(await hold.release()).toBe('released');
        expect(await lock.isLocked()).toBe(false);
      }
    },
  );

  it.each(LOCKS)('TP-11 a release of the %s lock wakes a waiter of another client at once', async (kind, lockOf) => {
    const [one, other] = await Promise.all([clients.open({ safetyPoll: '1m' }), clients.open({ safetyPoll: '1m' })]);
    const hold = await lockOf(one.locks, 'order:7').acquire();
    // Readers do not wait for each other.
    const rival =
      kind === 'read' ? other.locks.getReadWriteLock('order:7').writeLock() : lockOf(other.locks, 'order:7');
    const waiting = rival.acquire({ wait: '30s' });
    await time.pass(100);
    await hold.release();
    const next = await time.finish(waiting, AT_ONCE_MS);
    expect(await next.release()).toBe('released');
  });

  it('TP-03 a lock is acquired and released thirty times', async () => {
    const { locks } = await clients.open();
    for (let round = 0; round < 30; round++) {
      const hold = await locks.tryAcquire(`order:${round}`);
      await hold?.release();
      expect(hold).not.toBeNull();
    }
  });

  it.each([
    ['no braces', 'order:7', ''],
    ['a hash tag', '{order}:7', ''],
    ['braces in the middle', 'a{b}c', ''],
    ['a prefix', 'order:7', 'shop:'],
    ['a prefix with a hash tag', 'order:7', '{shop}:'],
  ])('TP-09 PS-20 with %s every kind keeps to one slot', async (_, name, keyPrefix) => {
    const { locks } = await clients.open({ keyPrefix });
    for (const [kind, lockOf] of LOCKS) await lockOf(locks, `${name}:${kind}`).withLock(() => {});
    await expect(useSynchronizers(locks, name)).resolves.toBeUndefined();
  });

  itWith('sharded channels', 'X18 waiters listen where the shard of their lock is, as Redisson does', async () => {
    const { locks } = await clients.open();
    const hold = await locks.acquire('order:7');
    const waiting = locks.acquire('order:7', { wait: '30s' });
    const owner = cluster.admin(await cluster.ownerOf('order:7'));
    await time.until(() => hasShardListener(owner, 'order:7'), 2000);
    expect(await owner.pubsub('CHANNELS')).toEqual([]);
    await hold.release();
    expect(await (await time.finish(waiting, AT_ONCE_MS)).release()).toBe('released');
  });

  it('a client that waits before it knows the cluster is given the lock, too', async () => {
    const { locks } = await clients.open();
    const hold = await locks.acquire('order:7');
    const late = clients.openAtOnce({ safetyPoll: '1m' });
    // A waiter that can be aborted is queued before its first attempt.
    const waiting = late.locks.acquire('order:7', { wait: '30s', signal: new AbortController().signal });
    const owner = cluster.admin(await cluster.ownerOf('order:7'));
    // Without sharded channels no lock is passed on: the client listens.
    const isWaiting = async (): Promise<boolean> =>
      serverHas('sharded channels') ? (await owner.zcard(waitingClients('order:7'))) === 1 : hasListener('order:7');
    await time.until(isWaiting, 2000);
    await hold.release();
    expect(await (await time.finish(waiting, AT_ONCE_MS)).release()).toBe('released');
  });

  it('waiters use plain channels with shardedPubSub: false', async () => {
    const { locks } = await clients.open({ shardedPubSub: false });
    const hold = await locks.acquire('order:7');
    const waiting = locks.acquire('order:7', { wait: '30s' });
    const owner = cluster.admin(await cluster.ownerOf('order:7'));
    await time.until(async () => (await owner.pubsub('CHANNELS')).length > 0, 2000);
    await hold.release();
    expect(await (await time.finish(waiting, AT_ONCE_MS)).release()).toBe('released');
  });

  it('a latch whose name has braces of its own, which Redisson cannot use there, still wakes', async () => {
    const [one, other] = await Promise.all([clients.open(), clients.open({ safetyPoll: '1m' })]);
    await one.locks.getCountDownLatch('a{b}c').trySetCount(1);
    const waiting = other.locks.getCountDownLatch('a{b}c').await({ wait: '30s' });
    await time.pass(100);
    await one.locks.getCountDownLatch('a{b}c').countDown();
    expect(await time.finish(waiting, AT_ONCE_MS)).toBe(true);
  });

  it('a client of the application is used as it is, and not changed', async () => {
    const given = new Cluster(
      cluster.masters.map(({ host, port }) => ({ host, port })),
      { keyPrefix: 'shop:', lazyConnect: true },
    );
    const { locks } = await clients.open({}, given);
    const hold = await locks.acquire('order:7');
    expect(hold.name).toBe('shop:order:7');
    await hold.release();
    expect(given.status).toBe('wait');
  });

  it.each([
    ['5', (rootNodes: RootNodes) => createCluster5({ rootNodes }), ''],
    ['6', (rootNodes: RootNodes) => createCluster({ rootNodes, keyPrefix: 'shop:' }), 'shop:'],
  ] as const)(
    'a client of node-redis %s of the application is used as it is, and not changed',
    async (_, create, keyPrefix) => {
      const [root] = cluster.masters;
      if (!root) throw new Error('The cluster has no masters');
      const given = create([{ socket: { host: root.host, port: root.port } }]);
      await given.connect();
      const { locks } = await clients.open({}, given);
      // Of every slot, so that every server is asked.
      const holds = await Promise.all(Array.from({ length: 20 }, (_each, n) => locks.acquire(`order:${n}`)));
      expect(holds.map(({ name }) => name)).toEqual(holds.map((_each, n) => `${keyPrefix}order:${n}`));
      for (const hold of holds) expect(await hold.release()).toBe('released');
      expect(given.isOpen).toBe(true);
      given.destroy();
    },
  );

  it('holds of many slots are renewed together', async () => {
    // A command about this lease may take a quarter of it, which is long enough for a busy machine.
    const client = await clients.open({ renewedLease: 3000 });
    const holds = await Promise.all(Array.from({ length: 50 }, (_, n) => client.locks.acquire(`order:${n}`)));
    await time.renewed(async () => holds.map(({ remaining }) => remaining));
    for (const hold of holds) expect(await hold.release()).toBe('released');
    expect(client.events).toEqual([]);
  });
});

describe('While a slot moves', () => {
  const slot = hashSlot('{7}');
  const others = async () => {
    const owner = await cluster.ownerOfSlot(slot);
    return cluster.masters.filter((server) => server !== owner);
  };

  it('F24 a held lock is renewed, excludes others and is released at every step', async () => {
    const client = await clients.open({ renewedLease: 3000 });
    const lock = client.locks.getLock('order:{7}');
    const hold = await lock.acquire();
    const [to] = await others();
    if (!to) throw new Error('There is no other master');
    const isMine = async (): Promise<void> => {
      expect(await client.locks.tryAcquire('order:{7}')).toBeNull();
      await hold.extend(2900);
    };
    const from = await cluster.beginMigration(slot, to);
    await isMine();
    await cluster.migrateKeys(slot, from, to);
    await isMine();
    await cluster.finishMigration(slot, to);
    await isMine();
    await time.renewed(async () => [hold.remaining]);
    expect(await hold.release()).toBe('released');
    expect(client.events).toEqual([]);
    expect(await lock.isLocked()).toBe(false);
  });

  it('F24 a new plain lock is acquired and released while half of the keys have moved', async () => {
    const { locks } = await clients.open();
    const [to] = await others();
    if (!to) throw new Error('There is no other master');
    const early = await locks.acquire('early:{7}');
    const from = await cluster.beginMigration(slot, to);
    const during = await locks.acquire('during:{7}');
    expect(await locks.tryAcquire('early:{7}')).toBeNull();
    expect(await locks.tryAcquire('during:{7}')).toBeNull();
    await cluster.migrateKeys(slot, from, to);
    expect(await early.release()).toBe('released');
    expect(await during.release()).toBe('released');
    await cluster.finishMigration(slot, to);
  });

  it('F24 a kind of several keys waits for the end of the move, and is then acquired', async () => {
    const { locks } = await clients.open();
    const [to] = await others();
    if (!to) throw new Error('There is no other master');
    const from = await cluster.beginMigration(slot, to);
    const waiting = locks.getFencedLock('fenced:{7}').acquire({ wait: '10s' });
    await time.pass(200);
    await cluster.migrateKeys(slot, from, to);
    await cluster.finishMigration(slot, to);
    expect(await (await time.finish(waiting, 3000)).release()).toBe('released');
  });

  itWith('sharded channels', 'F24 a waiter goes with the channel, and is woken at the new place', async () => {
    const [one, other] = await Promise.all([clients.open(), clients.open({ safetyPoll: '1m' })]);
    const hold = await one.locks.acquire('order:{7}');
    const waiting = other.locks.acquire('order:{7}', { wait: '30s' });
    await time.pass(100);
    const [to] = await others();
    if (!to) throw new Error('There is no other master');
    await cluster.moveSlot(slot, to);
    await time.until(() => hasShardListener(cluster.admin(to), 'order:{7}'), 3000);
    await hold.release();
    expect(await (await time.finish(waiting, AT_ONCE_MS)).release()).toBe('released');
  });

  it('F25 nothing is lost in a storm of moves', async () => {
    const { locks } = await clients.open();
    let [inside, sections] = [0, 0];
    const stop = new AbortController();
    const loop = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await locks.withLock('order:{7}', { wait: '10s' }, async () => {
          inside += 1;
          expect(inside).toBe(1);
          await time.pause(1);
          inside -= 1;
          sections += 1;
        });
      }
    };
    const loops = [loop(), loop(), loop()];
    const moves = 10;
    for (let move = 0; move < moves; move++) {
      const before = sections;
      const [to] = await others();
      if (!to) throw new Error('There is no other master');
      await cluster.moveSlot(slot, to);
      // A waiter that lost its channel polls by then.
      await time.until(() => sections > before, 1000);
    }
    stop.abort();
    await Promise.all(loops);
    expect(sections).toBeGreaterThanOrEqual(moves);
  });
});
