import type { Redis } from 'ioredis';
import { LockLostError, LockUnavailableError, type LockService } from '../../lib/standalone.js';
import { lockScripts } from '../../lib/advanced.js';
import type { Client } from '../kit/client.js';
import { Time } from '../kit/time.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { TopologyClients } from './clients.js';
import { limitPermits } from '../../lib/keys/redisson-keys.js';
import { LOCKS, useSynchronizers } from './every-kind.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

const time = Time.real();
const clients = new TopologyClients(() => master.url);

let master: RedisServer;
let replica: RedisServer;
/** The connection between master and replica. */
let link: FaultProxy;
let admin: Redis;

beforeAll(async () => {
  master = await RedisServer.start({ args: ['--repl-diskless-sync-delay', '0'] });
  link = await FaultProxy.start(master);
  replica = await RedisServer.start({ args: ['--replicaof', link.host, String(link.port)] });
  admin = connectAdmin(master.url);
  await time.until(async () => (await admin.wait(1, 100)) === 1, 10_000);
});

afterEach(async () => {
  link.heal();
  await clients.close();
  await admin.flushall();
});

afterAll(async () => {
  admin.disconnect();
  await replica.stop();
  await link.close();
  await master.stop();
});

const refusalOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('With a replica that must know of a lock', () => {
  const replicas = { min: 1, timeout: 200 };

  it.each(LOCKS)('TP-01 the %s lock is acquired once the replica has it', async (_, lockOf) => {
    const { locks } = await clients.open({ replicas: { min: 1, timeout: '3s' } });
    const hold = await lockOf(locks, 'order:7').acquire();
    expect(await lockOf(locks, 'order:7').isLocked()).toBe(true);
    expect(await hold.release()).toBe('released');
  });

  it.each(LOCKS)('F21 the %s lock is released with an error if the replica does not have it', async (_, lockOf) => {
    const { locks } = await clients.open({ replicas });
    link.hold('reply');
    const lock = lockOf(locks, 'order:7');
    const error = await refusalOf(lock.acquire({ wait: 0, lease: '30s' }));
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(error).toMatchObject({ outcome: 'refused', details: { replicas: { wanted: 1, found: 0 } } });
    expect(await lock.isLocked()).toBe(false);
    link.heal();
    await (await lock.acquire({ wait: '5s' })).release();
  });

  const DETACHABLE = LOCKS.filter(([kind]) => ['reentrant', 'fair', 'fenced', 'spin'].includes(kind));

  it.each(DETACHABLE)('TP-01 the %s lock is attached once the replica knows its owner', async (_, lockOf) => {
    const { locks } = await clients.open({ replicas: { min: 1, timeout: '3s' } });
    const token = await (await lockOf(locks, 'order:7').acquire()).detach();
    const { owner } = await locks.attach(token);
    link.blackhole();
    const onReplica = connectAdmin(replica.url);
    expect(await onReplica.hkeys('order:7')).toEqual([owner]);
    onReplica.disconnect();
  });

  it.each(DETACHABLE)('F21 the %s lock is released, not attached, if the replica does not know', async (_, lockOf) => {
    const { locks } = await clients.open({ replicas });
    const lock = lockOf(locks, 'order:7');
    const token = await (await lock.acquire({ wait: '5s' })).detach({ lease: '60s' });
    link.hold('reply');
    const error = await refusalOf(locks.attach(token));
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(error).toMatchObject({ outcome: 'refused', details: { replicas: { wanted: 1, found: 0 } } });
    expect(await lock.isLocked()).toBe(false);
    link.heal();
    await expect(locks.attach(token)).rejects.toThrow(LockLostError);
    await (await lock.acquire({ wait: '5s' })).release();
  });

  it('TP-01 a permit of a limit is acquired once the replica has it', async () => {
    const { locks } = await clients.open({ replicas });
    const key = limitPermits('order:7');
    const inside = await locks.withLock('order:7', { limit: 2 }, async ({ owner }) => {
      const onReplica = connectAdmin(replica.url);
      const found = await onReplica.zscore(key, owner);
      onReplica.disconnect();
      return found;
    });
    expect(inside).toMatch(/^\d+$/);
  });

  it('F21 a permit of a limit is released with an error if the replica does not have it', async () => {
    const { locks } = await clients.open({ replicas });
    link.hold('reply');
    const error = await refusalOf(locks.withLock('order:7', { limit: 2, wait: 0, lease: '30s' }, () => {}));
    expect(error).toMatchObject({ outcome: 'refused', details: { replicas: { wanted: 1, found: 0 } } });
    expect(await admin.exists(limitPermits('order:7'))).toBe(0);
    link.heal();
    expect(await locks.withLock('order:7', { limit: 2, wait: '5s' }, () => 'inside')).toBe('inside');
  });

  it('F21 a lock of an owner that the application has chosen is left to it if the replica does not have it', async () => {
    const { locks } = await clients.open({ replicas });
    const anna = { owner: 'user:anna', lease: '60s' } as const;
    await locks.acquire('order:7', { ...anna, wait: '5s' });
    link.hold('reply');
    const error = await refusalOf(locks.acquire('order:7', { ...anna, wait: 0 }));
    expect(error).toMatchObject({ outcome: 'refused', details: { replicas: { wanted: 1, found: 0 } } });
    expect(String(error)).toContain('it is left to its lease');
    expect(await admin.hkeys('order:7')).toEqual(['user:anna:0']);
    link.heal();
    await expect(locks.release({ name: 'order:7', owner: anna.owner })).resolves.toBe(true);
  });

  it('F21 a waiter has it as soon as the replica is in step again', async () => {
    const { locks } = await clients.open({ replicas });
    link.hold('reply');
    const waiting = locks.acquire('order:7', { wait: '20s' });
    await time.pass(600);
    link.heal();
    expect(await (await time.finish(waiting, 5000)).release()).toBe('released');
  });

  it('F21 a lock that was granted is there when the replica takes over', async () => {
    const { locks } = await clients.open({ replicas });
    const hold = await locks.acquire('order:7');
    link.blackhole();
    const taker = connectAdmin(replica.url);
    await taker.replicaof('NO', 'ONE');
    expect(await taker.hkeys('order:7')).toEqual([hold.owner]);
    await taker.replicaof(link.host, link.port);
    taker.disconnect();
    link.heal();
    await time.until(async () => (await admin.wait(1, 100)) === 1, 10_000);
    await hold.release();
  });

  it('many concurrent acquisitions share one confirmation', async () => {
    const { locks } = await clients.open({ replicas: { min: 1, timeout: '2s' } });
    await locks.withLock('warm', () => {});
    const before = await waits();
    const holds = await Promise.all(Array.from({ length: 100 }, (_, n) => locks.acquire(`order:${n}`)));
    expect((await waits()) - before).toBeLessThan(50);
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('acquisitions fail with more replicas than there are', async () => {
    const { locks } = await clients.open({ replicas: { min: 2, timeout: 100 } });
    const error = await refusalOf(locks.acquire('order:7', { wait: 0 }));
    expect(error).toMatchObject({ details: { replicas: { wanted: 2, found: 1 } } });
    expect(await locks.getLock('order:7').isLocked()).toBe(false);
  });

  const available = async (): Promise<unknown> => ({
    semaphore: await admin.get('semaphore'),
    permits: await admin.get('permits'),
    out: await admin.zcard('{permits}:timeout'),
  });

  /** A semaphore, a semaphore whose permits have ids, and a latch, all known to the replica. */
  const synchronizers = async ({ locks }: Client) => {
    await admin.mset({ semaphore: 3, permits: 3, latch: 3 });
    await admin.wait(1, 5000);
    return {
      semaphore: locks.getSemaphore('semaphore'),
      permits: locks.getPermitExpirableSemaphore('permits'),
      latch: locks.getCountDownLatch('latch'),
    };
  };
  type Synchronizers = Awaited<ReturnType<typeof synchronizers>>;

  it.each([
    ['permits', ({ semaphore }: Synchronizers) => semaphore.tryAcquire(2)],
    ['all permits', ({ semaphore }: Synchronizers) => semaphore.drainPermits()],
    ['a permit with an id', ({ permits }: Synchronizers) => permits.tryAcquire()],
    ['permits with a lease', ({ permits }: Synchronizers) => permits.tryAcquireMany(2, { lease: '30s' })],
  ] as const)('D25: %s are released with an error if the replica does not have them', async (_, take) => {
    const all = await synchronizers(await clients.open({ replicas }));
    link.hold('reply');
    const error = await refusalOf(take(all));
    expect(error).toMatchObject({ outcome: 'refused', details: { replicas: { wanted: 1, found: 0 } } });
    expect(String(error)).toMatch(/(was|were) (released|undone)/);
    expect(await available()).toEqual({ semaphore: '3', permits: '3', out: 0 });
    link.heal();
    await time.until(async () => (await admin.wait(1, 100)) === 1, 10_000);
    expect(await take(all)).toBeTruthy();
  });

  it.each([
    ['trySetPermits', ({ semaphore }: Synchronizers) => semaphore.trySetPermits(7)],
    ['addPermits', ({ semaphore }: Synchronizers) => semaphore.addPermits(4)],
    ['trySetPermits of permits with ids', ({ permits }: Synchronizers) => permits.trySetPermits(7)],
    ['setPermits', ({ permits }: Synchronizers) => permits.setPermits(7)],
    ['addPermits of permits with ids', ({ permits }: Synchronizers) => permits.addPermits(4)],
    ['trySetCount', ({ latch }: Synchronizers) => latch.trySetCount(7)],
  ] as const)('D25: %s rejects if the replica does not have the number, which stays', async (call, change) => {
    const { locks } = await clients.open({ replicas });
    const all = await synchronizers({ locks } as Client);
    if (call.startsWith('try')) await admin.del('semaphore', 'permits', 'latch');
    link.hold('reply');
    const error = await refusalOf(change(all));
    expect(error).toMatchObject({ outcome: 'unknown', details: { replicas: { wanted: 1, found: 0 } } });
    expect(String(error)).toMatch(/it remains/);
    expect(await admin.mget('semaphore', 'permits', 'latch')).toContain('7');
  });

  it('D25: releases and count-downs are repeated until the replica has them, with one effect', async () => {
    const { semaphore, latch } = await synchronizers(await clients.open({ replicas }));
    link.hold('reply');
    const errors = await Promise.all([refusalOf(semaphore.release(2)), refusalOf(latch.countDown())]);
    for (const error of errors) {
      expect(error).toMatchObject({ outcome: 'unknown', details: { replicas: { wanted: 1, found: 0 } } });
      expect(String(error)).toMatch(/continues in the background/);
    }
    link.heal();
    await time.pass(1000);
    expect(await admin.mget('semaphore', 'latch')).toEqual(['5', '2']);
  });

  it('D25: everything works if the replica has it', async () => {
    const { locks } = await clients.open({ replicas: { min: 1, timeout: '3s' } });
    await useSynchronizers(locks, 'all');
    const markers = () => admin.keys('redisson_unlock_latch:*');
    await time.until(async () => (await markers()).length === 0, 1000);
    expect(await markers()).toEqual([]);
  });

  const waits = async (): Promise<number> =>
    Number(/cmdstat_wait:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
});

it('TP-08 without the option a replica and an append-only file cost no waiting', async () => {
  const { locks } = await clients.open();
  link.hold('reply');
  const start = performance.now();
  for (let round = 0; round < 100; round++) await locks.withLock(`order:${round}`, () => {});
  expect((performance.now() - start) / 100).toBeLessThan(50);
});

it('TP-10 a lock is acquired and released by one attempt, without a pause', async () => {
  const { locks } = await clients.open();
  const hold = await locks.tryAcquire('order:7', { wait: 0, lease: 10_000 });
  expect(await hold?.release()).toBe('released');
});

describe('On a server without WAIT that was not probed', () => {
  let deaf: RedisServer;
  let direct: Redis;

  beforeAll(async () => {
    deaf = await RedisServer.start({ args: ['--rename-command', 'WAIT', ''] });
    direct = connectAdmin(deaf.url);
    // Otherwise each first use of a script would ask a second time.
    for (const { text } of lockScripts) await direct.script('LOAD', text);
  });

  afterEach(() => direct.flushall());

  afterAll(async () => {
    direct.disconnect();
    await deaf.stop();
  });

  it.each([
    ...LOCKS.map(
      ([kind, lockOf]) => [kind, (locks: LockService) => lockOf(locks, 'n').acquire({ wait: '10s' })] as const,
    ),
    ['semaphore', (locks: LockService) => locks.getSemaphore('n').acquire(1, { wait: '10s' })] as const,
    ['permits', (locks: LockService) => locks.getPermitExpirableSemaphore('n').acquire({ wait: '10s' })] as const,
  ])('D25: the first reply is final for %s, and nothing is acquired again', async (kind, acquire) => {
    const { locks } = await clients.open({ replicas: { min: 1, timeout: 100 }, probe: false }, deaf.url);
    const isSemaphore = kind === 'semaphore' || kind === 'permits';
    if (isSemaphore) await direct.set('n', 1);
    // ioredis also asks for things that not every server has when it connects.
    await refusalOf(acquire(locks));
    const asked = await waits();
    const error = await refusalOf(acquire(locks));
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', permanent: true });
    expect(String(error)).toMatch(/does not have the command WAIT; leave out the option "replicas"/);
    expect((await waits()) - asked).toBe(1);
    expect(isSemaphore ? await direct.get('n') : await direct.exists('n')).toBe(isSemaphore ? '1' : 0);
  });

  /** The number of refused WAIT commands. */
  const waits = async (): Promise<number> =>
    Number(/errorstat_ERR:count=(\d+)/.exec(await direct.info('errorstats'))?.[1] ?? 0);
});
