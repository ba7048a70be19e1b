import { Time, track } from '../kit/time.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { TopologyClients } from '../topologies/clients.js';
import { JavaPeer } from './java-peer.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

const time = Time.real();
/** The time within which a message wakes a waiter. A poll or the end of a lease (30 s) would take longer. */
const AT_ONCE_MS = 500;
const NAMES = ['n', '{orders}:7', 'a{b}c'];

let cluster: RedisCluster;
let java: JavaPeer;
const clients = new TopologyClients(() => ({ cluster: cluster.masters.map(({ url }) => url) }));

beforeAll(async () => {
  cluster = await RedisCluster.start();
  const [first] = cluster.masters;
  if (!first) throw new Error('The cluster has no server');
  java = await JavaPeer.start({ topology: 'cluster', url: first.url });
});

afterEach(() => clients.close());

afterAll(async () => {
  await java.kill();
  await cluster.stop();
});

const listening = async (name: string): Promise<boolean> => {
  const admin = cluster.admin(await cluster.ownerOf(name));
  return ((await admin.pubsub('SHARDCHANNELS')) as string[]).includes(lockChannel(name));
};

describe.each(NAMES)('In a cluster, the lock %p', (name) => {
  it('X18 held by Java keeps Node out, and Node is woken at once by the release', async () => {
    const { locks } = await clients.open({ safetyPoll: '1m' });
    const theirs = java.thread('a').lock(name);
    await theirs.lock();
    expect(await locks.tryAcquire(name)).toBeNull();
    const waiting = locks.acquire(name, { wait: '1m' });
    await time.until(() => listening(name), 5000);
    await time.pass(100);
    await theirs.unlock();
    const hold = await time.finish(waiting, AT_ONCE_MS);
    expect(await theirs.tryLock()).toBe(false);
    await hold.release();
  });

  it('X18 held by Node keeps Java out, and Java is woken at once by the release', async () => {
    const { locks } = await clients.open();
    const hold = await locks.acquire(name);
    const theirs = java.thread('a').lock(name);
    expect(await theirs.tryLock()).toBe(false);
    const waiting = theirs.lock();
    await time.until(() => listening(name), 5000);
    await time.pass(100);
    expect(await hold.release()).toBe('released');
    await time.finish(waiting, AT_ONCE_MS);
    expect(await locks.tryAcquire(name)).toBeNull();
    await theirs.unlock();
  });
});

it('X18 a release that is announced by PUBLISH and not to the shard does not wake Java', async () => {
  const { locks } = await clients.open({ shardedPubSub: false });
  const hold = await locks.acquire('n');
  const theirs = java.thread('a').lock('n');
  const waiting = theirs.lock(20_000);
  const progress = track(waiting);
  await time.until(() => listening('n'), 5000);
  await time.pass(100);
  await hold.release();
  await time.pass(2 * AT_ONCE_MS);
  expect(progress.settled).toBe(false);
  const admin = cluster.admin(await cluster.ownerOf('n'));
  await admin.spublish(lockChannel('n'), '0');
  await time.finish(waiting, AT_ONCE_MS);
  await theirs.unlock();
});

it('fair locks go round between Java and Node in the order they came', async () => {
  const { locks } = await clients.open();
  const order: string[] = [];
  const hold = await locks.getFairLock('fair').acquire();
  const queued = async (length: number): Promise<void> => {
    const admin = cluster.admin(await cluster.ownerOf('fair'));
    await time.until(async () => (await admin.llen('redisson_lock_queue:{fair}')) === length, 5000);
  };
  const theirs = java.thread('a').lock('fair', 'fair');
  const first = theirs.lock().then(async () => {
    order.push('java');
    await theirs.unlock();
  });
  await queued(1);
  const second = locks.getFairLock('fair').withLock({ wait: '20s' }, () => void order.push('node'));
  await queued(2);
  await hold.release();
  await time.finish(Promise.all([first, second]), 5000);
  expect(order).toEqual(['java', 'node']);
});
