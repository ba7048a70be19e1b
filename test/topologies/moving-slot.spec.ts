import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { Redis } from 'ioredis';
import type { LockOperations } from '../../lib/backend/lock-operations.js';
import { textOf } from '../../lib/backend/kinds/lock/lock-scripts.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import { Time } from '../kit/time.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { serverHas } from '../servers/redis/server-features.js';
import { TopologyClients } from './clients.js';
import { MovingSlot } from './moving-slot.js';
import { fairDeadlines, fairQueue, lockChannel, waitingClients, waitingWriters } from '../../lib/keys/redisson-keys.js';

const LEASE = 20_000;
/** Far below the deadline of a command, so no command can have waited for the slot. */
const AT_ONCE_MS = 500;

const time = Time.real();
const owners = new OwnerIds();
const timeoutKey = (name: string, owner: string, n = 1): string => `${name}:${owner}:rwlock_timeout:${n}`;

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

const beginToMove = async (key: string): Promise<MovingSlot> => {
  moving = await MovingSlot.begin(cluster, key);
  return moving;
};

/** Records the messages on a channel: of one shard, or of all servers if there are no sharded channels. */
class Listener implements AsyncDisposable {
  heard = 0;

  private constructor(private readonly redis: Redis) {
    for (const event of ['smessage', 'message']) redis.on(event, () => (this.heard += 1));
  }

  static async on(server: Redis, channel: string): Promise<Listener> {
    const redis = server.duplicate();
    const listener = new Listener(redis);
    await (serverHas('sharded channels') ? redis.ssubscribe(channel) : redis.subscribe(channel));
    return listener;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.redis.quit();
  }
}

const open = async () => (await clients.open()).runtime.backend;
const take = async (lock: Pick<LockOperations, 'acquire'>, name: string, lease = LEASE) => {
  const request = { name, owner: owners.next(), lease };
  expect(await lock.acquire(request)).toMatchObject({ outcome: 'acquired' });
  return request;
};

/**
 * The time to live of a key on one server. It is asked with ASKING, so it is answered while the slot is on its way
 * there.
 */
const ttlAt = async (server: MovingSlot['to'], key: string): Promise<number> => {
  const admin = cluster.admin(server);
  const [, [, ttl] = []] = (await admin.pipeline().call('ASKING').pttl(key).exec()) ?? [];
  return Number(ttl);
};

describe('Renewals while a slot moves', () => {
  it('D3: locks of one slot are renewed though only some of them have moved', async () => {
    const { lock } = await open();
    const [one, two, three] = [await take(lock, 'one:{t}'), await take(lock, 'two:{t}'), await take(lock, 'three:{t}')];
    const slot = await beginToMove('{t}');
    await slot.move('two:{t}');
    const renewals = [one, two, three].map((request) => ({ ...request, lease: 2 * LEASE }));
    const { held, failure } = await time.finish(lock.renew(renewals), AT_ONCE_MS);
    expect(held).toEqual([true, true, true]);
    expect(failure).toBeUndefined();
    expect(await ttlAt(slot.from, 'one:{t}')).toBeGreaterThan(LEASE);
    expect(await ttlAt(slot.to, 'two:{t}')).toBeGreaterThan(LEASE);
    await slot.finish();
  });

  it('D3: a lost lock of the slot is distinguished from held ones', async () => {
    const { lock } = await open();
    const [one, two] = [await take(lock, 'one:{t}'), await take(lock, 'two:{t}')];
    const slot = await beginToMove('{t}');
    await slot.move('two:{t}');
    const gone = { name: 'gone:{t}', owner: owners.next(), lease: LEASE };
    const { held } = await time.finish(lock.renew([one, gone, two]), AT_ONCE_MS);
    expect(held).toEqual([true, false, true]);
    await slot.finish();
  });

  it.each(['its hash', 'its time-out key'])(
    'D3: a read of which only %s has moved is renewed, with all others',
    async (what) => {
      const { readLock } = await open();
      const [torn, whole] = [await take(readLock, 'torn:{t}'), await take(readLock, 'whole:{t}')];
      const slot = await beginToMove('{t}');
      const [hash, timeout] = [torn.name, timeoutKey(torn.name, torn.owner)];
      await slot.move(what === 'its hash' ? hash : timeout);
      const renewals = [torn, whole].map((request) => ({ ...request, lease: 2 * LEASE }));
      const { held } = await time.finish(readLock.renew(renewals), AT_ONCE_MS);
      expect(held).toEqual([true, true]);
      const [hashAt, timeoutAt] = what === 'its hash' ? [slot.to, slot.from] : [slot.from, slot.to];
      expect(await ttlAt(hashAt, hash)).toBeGreaterThan(LEASE);
      expect(await ttlAt(timeoutAt, timeout)).toBeGreaterThan(LEASE);
      expect(await ttlAt(slot.from, timeoutKey(whole.name, whole.owner))).toBeGreaterThan(LEASE);
      await slot.finish();
      expect(await readLock.renew(renewals)).toMatchObject({ held: [true, true] });
    },
  );

  it('D23: a renewed read writes no time-out key at the new place that the old one still has', async () => {
    const { readLock } = await open();
    const read = await take(readLock, 'doc:{t}');
    const slot = await beginToMove('{t}');
    await slot.move('doc:{t}');
    expect(await readLock.renew([read])).toMatchObject({ held: [true] });
    expect(await ttlAt(slot.to, timeoutKey(read.name, read.owner))).toBe(-2);
    await expect(slot.finish()).resolves.toBeUndefined();
  });
});

describe('Reads while a slot moves', () => {
  it.each(['the hash', 'the time-out key'])(
    'D4: a reader enters beside one of which only %s has moved, reads twice, and leaves',
    async (what) => {
      const { readLock, writeLock } = await open();
      const first = await take(readLock, 'doc:{t}');
      const slot = await beginToMove('{t}');
      await slot.move(what === 'the hash' ? 'doc:{t}' : timeoutKey(first.name, first.owner));
      const second = await time.finish(take(readLock, 'doc:{t}'), AT_ONCE_MS);
      for (const read of [first, second]) {
        const held = await time.finish(readLock.hold({ ...read, count: 2 }), AT_ONCE_MS);
        expect(held).toMatchObject({ outcome: 'held' });
      }
      await slot.finish();
      for (const { owner } of [first, second]) {
        for (const n of [1, 2]) expect(await ttlAt(slot.to, timeoutKey('doc:{t}', owner, n))).toBeGreaterThan(0);
      }
      expect(await readLock.release(first)).toMatchObject({ outcome: 'released' });
      const writer = { name: 'doc:{t}', owner: owners.next(), lease: LEASE };
      expect(await writeLock.acquire(writer)).toMatchObject({ outcome: 'busy', holder: second.owner });
      expect(await readLock.release(second)).toMatchObject({ outcome: 'released' });
      expect(await writeLock.acquire(writer)).toMatchObject({ outcome: 'acquired' });
    },
  );
});

describe('Releases while a slot moves', () => {
  it('D4: the last reader frees the lock whose time-out key has moved before it', async () => {
    const { readLock, writeLock } = await open();
    const read = await take(readLock, 'doc:{t}');
    const slot = await beginToMove('{t}');
    await slot.move(timeoutKey(read.name, read.owner));
    expect(await time.finish(readLock.release(read), AT_ONCE_MS)).toMatchObject({ outcome: 'released' });
    expect(await slot.left()).toEqual([]);
    await slot.finish();
    await take(writeLock, 'doc:{t}');
  });

  it('D4: a writer whose time-out key has moved before the lock keeps reading', async () => {
    const { readLock, writeLock } = await open();
    const write = await take(writeLock, 'doc:{t}');
    await readLock.hold({ ...write, count: 1 });
    const slot = await beginToMove('{t}');
    await slot.move(timeoutKey(write.name, write.owner));
    expect(await time.finish(writeLock.release(write), AT_ONCE_MS)).toMatchObject({ outcome: 'released' });
    expect(await readLock.inspect('doc:{t}', write.owner)).toMatchObject({ locked: true, count: 1 });
    expect(await ttlAt(slot.from, 'doc:{t}')).toBeGreaterThan(0);
    await slot.finish();
    expect(await readLock.release(write)).toMatchObject({ outcome: 'released' });
    await take(writeLock, 'doc:{t}');
  });

  it.each(['the hash', 'the time-out keys'])(
    'D4: a reader keeps writers out when another leaves and only %s moved',
    async (what) => {
      const { readLock, writeLock } = await open();
      const [stays, leaves] = [await take(readLock, 'doc:{t}'), await take(readLock, 'doc:{t}')];
      const slot = await beginToMove('{t}');
      if (what === 'the hash') await slot.move('doc:{t}');
      else await slot.move(timeoutKey(stays.name, stays.owner), timeoutKey(leaves.name, leaves.owner));
      expect(await time.finish(readLock.release(leaves), AT_ONCE_MS)).toMatchObject({ outcome: 'released' });
      const writer = { name: 'doc:{t}', owner: owners.next(), lease: LEASE };
      expect(await writeLock.acquire(writer)).toMatchObject({ outcome: 'busy', holder: stays.owner });
      await slot.finish();
      expect(await writeLock.acquire(writer)).toMatchObject({ outcome: 'busy', holder: stays.owner });
      expect(await readLock.release(stays)).toMatchObject({ outcome: 'released' });
      expect(await writeLock.acquire(writer)).toMatchObject({ outcome: 'acquired' });
    },
  );

  it('D4: a writer keeps its read when it leaves and only the hash has moved', async () => {
    const { readLock, writeLock } = await open();
    const write = await take(writeLock, 'doc:{t}');
    await readLock.hold({ ...write, count: 1 });
    const slot = await beginToMove('{t}');
    await slot.move('doc:{t}');
    expect(await writeLock.release(write)).toMatchObject({ outcome: 'released' });
    expect(await readLock.inspect('doc:{t}', write.owner)).toMatchObject({ locked: true, count: 1 });
    await slot.finish();
    expect(await readLock.release(write)).toMatchObject({ outcome: 'released' });
  });

  it('D4: a reader that extends does not shorten another whose time-out key has not moved yet', async () => {
    const { readLock } = await open();
    const [long, short] = [await take(readLock, 'doc:{t}', 10 * LEASE), await take(readLock, 'doc:{t}')];
    const slot = await beginToMove('{t}');
    await slot.move('doc:{t}', timeoutKey(short.name, short.owner));
    expect(await readLock.hold({ ...short, count: 1 })).toMatchObject({ outcome: 'held' });
    expect(await ttlAt(slot.to, 'doc:{t}')).toBeGreaterThan(9 * LEASE);
    await slot.finish();
    expect(await readLock.renew([long])).toMatchObject({ held: [true] });
  });

  it('D4: a permit is not lost if it is acquired when only expired permits were out', async () => {
    const { permitExpirableSemaphore: permits } = await open();
    expect(await permits.trySetPermits('p:{t}', 1)).toBe(true);
    const [first, second] = ['0'.repeat(32), 'f'.repeat(32)];
    expect(await permits.acquire({ name: 'p:{t}', ids: [first], lease: 600 })).toMatchObject({ outcome: 'acquired' });
    await time.pass(610);
    const slot = await beginToMove('{t}');
    const taking = permits.acquire({ name: 'p:{t}', ids: [second], lease: LEASE });
    await time.pass(100);
    await slot.finish();
    expect(await taking).toMatchObject({ outcome: 'acquired' });
    expect(await permits.inspect('p:{t}')).toMatchObject({ available: 0 });
    expect(await permits.release('p:{t}', second)).toBe('released');
    expect(await permits.inspect('p:{t}')).toMatchObject({ available: 1 });
  });
});

describe('The queue of a fair lock while its slot moves', () => {
  const name = 'queued:{t}';

  const queueDead = async (): Promise<void> => {
    const admin = cluster.admin(await cluster.ownerOf(name));
    const dead = owners.next();
    await admin.rpush(fairQueue(name), dead);
    await admin.zadd(fairDeadlines(name), 1, dead);
  };

  it('D4: loses dead waiters with a release, which reports success', async () => {
    const { fairLock } = await open();
    const held = await take(fairLock, name);
    await queueDead();
    const slot = await beginToMove('{t}');
    expect(await time.finish(fairLock.release(held), AT_ONCE_MS)).toMatchObject({ outcome: 'released' });
    expect(await slot.left()).toEqual([]);
  });

  it('D4: is woken when the holder leaves', async () => {
    const { fairLock } = await open();
    const held = await take(fairLock, name);
    const next = { name, owner: owners.next(), lease: LEASE, slot: 5000 };
    expect(await fairLock.queue(next)).toMatchObject({ outcome: 'queued' });
    const slot = await beginToMove('{t}');
    await using listener = await Listener.on(cluster.admin(slot.from), `${lockChannel(name)}:${next.owner}`);
    await time.finish(fairLock.leave({ ...held, owners: [held.owner], slot: 5000 }), AT_ONCE_MS);
    await time.until(() => listener.heard === 1, AT_ONCE_MS);
  });

  it('D4: is left by its last waiter', async () => {
    const { fairLock } = await open();
    await take(fairLock, name);
    const last = { name, owner: owners.next(), lease: LEASE, slot: 5000 };
    expect(await fairLock.queue(last)).toMatchObject({ outcome: 'queued' });
    const slot = await beginToMove('{t}');
    await time.finish(fairLock.leave({ ...last, owners: [last.owner] }), AT_ONCE_MS);
    expect(await slot.left()).toEqual([name]);
  });
});

describe('A group while its slot moves', () => {
  const FIELDS = ['a', 'b'];

  it.each(FIELDS)('D4: is released by force where only field %s was held', async (field) => {
    const { locks } = await clients.open();
    await locks.getGroupLock('group:{t}', [field]).acquire({ lease: LEASE });
    const slot = await beginToMove('{t}');
    const released = locks.getGroupLock('group:{t}', FIELDS).forceRelease();
    expect(await time.finish(released, AT_ONCE_MS)).toBe(true);
    expect(await slot.left()).toEqual([]);
  });
});

describe('Clients that wait for a plain lock while its slot moves', () => {
  /** The entries of the set, wherever it is. */
  const entriesAt = async ({ from, to }: MovingSlot, key: string): Promise<readonly string[]> => {
    const found = [from, to].map(async (server) => {
      const pipeline = cluster.admin(server).pipeline().call('ASKING').zrange(key, '0', '-1');
      // The server that the set has left redirects the request.
      const [, [, entries] = []] = (await pipeline.exec()) ?? [];
      return Array.isArray(entries) ? entries.map(String) : [];
    });
    return (await Promise.all(found)).flat();
  };
  const wait = async (lock: LockBackend['lock'], name: string) =>
    lock.wait({ name, entry: lock.entryOf(owners.next(), LEASE), isNew: true });

  it('get no entry at the new place while the old one still has others', async () => {
    const { lock } = await open();
    const held = await take(lock, 'order:{t}');
    expect(await wait(lock, held.name)).toMatchObject({ outcome: 'busy' });
    const slot = await beginToMove('{t}');
    await slot.move(held.name);
    expect(await wait(lock, held.name)).toMatchObject({ outcome: 'busy', holder: held.owner });
    expect(await ttlAt(slot.to, waitingClients(held.name))).toBe(-2);
    await expect(slot.finish()).resolves.toBeUndefined();
  });

  it('get an entry beside others that have moved', async () => {
    const { lock } = await open();
    const held = await take(lock, 'order:{t}');
    expect(await wait(lock, held.name)).toMatchObject({ outcome: 'busy' });
    const slot = await beginToMove('{t}');
    await slot.move(held.name, waitingClients(held.name));
    expect(await wait(lock, held.name)).toMatchObject({ outcome: 'busy' });
    await slot.finish();
    expect(await cluster.admin(slot.to).zcard(waitingClients(held.name))).toBe(2);
  });

  it.each([
    ['only the lock has', (name: string) => name],
    ['only the entries have', waitingClients],
  ])('withdraw their entry although %s moved', async (_, moved) => {
    const { lock } = await open();
    const held = await take(lock, 'order:{t}');
    const [one, other] = [lock.entryOf(owners.next(), LEASE), lock.entryOf(owners.next(), LEASE)];
    for (const entry of [one, other]) await lock.wait({ name: held.name, entry, isNew: true });
    const slot = await beginToMove('{t}');
    await slot.move(moved(held.name));
    lock.withdraw(held.name, one);
    const waiting = waitingClients(held.name);
    await time.until(async () => (await entriesAt(slot, waiting)).length === 1, AT_ONCE_MS);
    await slot.finish();
    expect(await cluster.admin(slot.to).zrange(waiting, '0', '-1')).toEqual([textOf(other)]);
  });

  it('withdraw their entry although the lock was released while its slot moved', async () => {
    const { lock } = await open();
    const held = await take(lock, 'order:{t}');
    const entry = lock.entryOf(owners.next(), LEASE);
    await lock.wait({ name: held.name, entry, isNew: true });
    const slot = await beginToMove('{t}');
    expect(await lock.release(held)).toMatchObject({ outcome: 'released' });
    expect(await slot.left()).toEqual([waitingClients(held.name)]);
    lock.withdraw(held.name, entry);
    await time.until(async () => (await slot.left()).length === 0, AT_ONCE_MS);
    expect(await ttlAt(slot.to, waitingClients(held.name))).toBe(-2);
  });

  it('get a free lock from a client that would wait again, since others may have entries at the old place', async () => {
    const { lock } = await open();
    const held = await take(lock, 'order:{t}');
    expect(await wait(lock, held.name)).toMatchObject({ outcome: 'busy' });
    const slot = await beginToMove('{t}');
    await slot.move(held.name);
    const again = { ...lock.entryOf(owners.next(), LEASE), onSettled: () => {} };
    expect(await lock.release({ ...held, again })).toMatchObject({ outcome: 'released' });
    expect(await ttlAt(slot.to, held.name)).toBe(-2);
  });

  it('withdraw what they were given, which the others are told', async () => {
    const { lock } = await open();
    const held = await take(lock, 'order:{t}');
    const slot = await beginToMove('{t}');
    await using listener = await Listener.on(cluster.admin(slot.from), lockChannel(held.name));
    lock.withdraw(held.name, lock.entryOf(held.owner, LEASE));
    await time.until(() => listener.heard === 1, AT_ONCE_MS);
    expect(await slot.left()).toEqual([]);
  });
});

describe('A writer that waits to go first while a slot moves', () => {
  it('D15: learns the reader, although it cannot be announced', async () => {
    const { readLock, writeLock } = await open();
    const read = await take(readLock, 'doc:{t}');
    const slot = await beginToMove('{t}');
    const writer = { name: 'doc:{t}', owner: owners.next(), lease: LEASE };
    const waiting = { id: owners.next(), slot: 11_000 };
    const tried = await time.finish(writeLock.acquire({ ...writer, waiting }), AT_ONCE_MS);
    expect(tried).toMatchObject({ outcome: 'busy', holder: read.owner });
    await slot.finish();
  });

  it.each(['the lock', 'the announcement'])('D15: withdraws although only %s has moved', async (what) => {
    const { readLock, writeLock } = await open();
    await take(readLock, 'doc:{t}');
    const writer = { name: 'doc:{t}', owner: owners.next(), lease: LEASE };
    const waiting = { id: owners.next(), slot: 11_000 };
    await writeLock.acquire({ ...writer, waiting });
    const slot = await beginToMove('{t}');
    const announcement = waitingWriters('doc:{t}');
    await slot.move(what === 'the lock' ? 'doc:{t}' : announcement);
    await time.finish(writeLock.withdraw('doc:{t}', waiting), AT_ONCE_MS);
    expect(await slot.left()).not.toContain(announcement);
    expect(await ttlAt(slot.to, announcement)).toBe(-2);
  });

  it('D15: is not announced at the new place while the old one still has the announcement', async () => {
    const { readLock, writeLock } = await open();
    await take(readLock, 'doc:{t}');
    const writer = { name: 'doc:{t}', owner: owners.next(), lease: LEASE };
    const waiting = { id: owners.next(), slot: 11_000 };
    expect(await writeLock.acquire({ ...writer, waiting })).toMatchObject({ outcome: 'busy' });
    const slot = await beginToMove('{t}');
    await slot.move('doc:{t}');
    expect(await writeLock.acquire({ ...writer, waiting })).toMatchObject({ outcome: 'busy' });
    await expect(slot.finish()).resolves.toBeUndefined();
  });
});
