import { OwnerIds } from '../../lib/context/owner-ids.js';
import { Time } from '../kit/time.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { TopologyClients } from './clients.js';
import { MovingSlot } from './moving-slot.js';

const NAME = 'doc:{t}';
const LEASE = 20_000;
/** Far below the deadline of a command, so no command can have waited for the slot. */
const AT_ONCE_MS = 500;

const time = Time.real();
const owners = new OwnerIds();
const timeoutKey = (owner: string): string => `${NAME}:${owner}:rwlock_timeout:1`;

let cluster: RedisCluster;
let moving: MovingSlot | undefined;
const clients = new TopologyClients(() => ({ cluster: cluster.masters.map(({ url }) => url) }));

beforeAll(async () => {
  cluster = await RedisCluster.start();
});

afterEach(async () => {
  await clients.close();
  for (const server of cluster.masters) await cluster.admin(server).flushall();
  await moving?.finish();
});

afterAll(() => cluster.stop());

/** With time for a command on a busy machine: how long one takes is tested by {@link AT_ONCE_MS}. */
const open = async () => (await clients.open({ commandTimeout: 2000 })).runtime.backend;
const request = () => ({ name: NAME, owner: owners.next(), lease: LEASE });
const beginToMove = async (): Promise<MovingSlot> => {
  moving = await MovingSlot.begin(cluster, NAME);
  return moving;
};

describe('While a slot moves', () => {
  it.each(['nothing', 'the hash', 'the time-out key'])(
    'D4: the only reader is upgraded when %s has moved',
    async (what) => {
      const { readLock, writeLock, conversion } = await open();
      const read = request();
      await readLock.acquire(read);
      const slot = await beginToMove();
      if (what === 'the hash') await slot.move(NAME);
      if (what === 'the time-out key') await slot.move(timeoutKey(read.owner));
      const to = owners.next();
      const upgrading = conversion.upgrade({ name: NAME, from: read.owner, to, lease: LEASE });
      expect(await time.finish(upgrading, AT_ONCE_MS)).toMatchObject({ outcome: 'held' });
      await slot.finish();
      expect(await readLock.acquire(request())).toMatchObject({ outcome: 'busy', holder: to });
      expect(await writeLock.release({ name: NAME, owner: to, lease: LEASE })).toMatchObject({ outcome: 'released' });
      expect(await writeLock.acquire(request())).toMatchObject({ outcome: 'acquired' });
    },
  );

  it.each(['the hash', 'the time-out keys'])('D4: another reader counts when only %s moved', async (what) => {
    const { readLock, conversion } = await open();
    const [read, other] = [request(), request()];
    await readLock.acquire(read);
    await readLock.acquire(other);
    const slot = await beginToMove();
    if (what === 'the hash') await slot.move(NAME);
    else await slot.move(timeoutKey(read.owner), timeoutKey(other.owner));
    const upgrading = conversion.upgrade({ name: NAME, from: read.owner, to: owners.next(), lease: LEASE });
    expect(await time.finish(upgrading, AT_ONCE_MS)).toEqual({ outcome: 'others', readers: 1 });
    await slot.finish();
    expect(await readLock.release(read)).toMatchObject({ outcome: 'released' });
  });

  it.each(['nothing', 'the hash'])('D4: a writer is downgraded when %s has moved', async (what) => {
    const { readLock, writeLock, conversion } = await open();
    const write = request();
    await writeLock.acquire(write);
    const slot = await beginToMove();
    if (what === 'the hash') await slot.move(NAME);
    const to = owners.next();
    const downgrading = conversion.downgrade({ name: NAME, from: write.owner, to, lease: LEASE });
    expect(await time.finish(downgrading, AT_ONCE_MS)).toMatchObject({ outcome: 'held' });
    await slot.finish();
    expect(await cluster.admin(slot.to).pttl(timeoutKey(to))).toBeGreaterThan(0);
    expect(await writeLock.acquire(request())).toMatchObject({ outcome: 'busy', holder: to });
    expect(await readLock.release({ name: NAME, owner: to, lease: LEASE })).toMatchObject({ outcome: 'released' });
    expect(await writeLock.acquire(request())).toMatchObject({ outcome: 'acquired' });
  });
});
