import { Redis } from 'ioredis';
import { LockUnavailableError } from '../../lib/index.js';
import { Time } from '../contract/time.js';
import { FaultProxy } from '../servers/fault-proxy.js';
import { RedisServer } from '../servers/redis-server.js';
import { TopologyClients } from './clients.js';
import { LOCKS } from './every-kind.js';

const time = Time.real();
const clients = new TopologyClients(() => master.url);

let master: RedisServer;
let replica: RedisServer;
/** Between the two. */
let link: FaultProxy;
let admin: Redis;

beforeAll(async () => {
  master = await RedisServer.start({ args: ['--repl-diskless-sync-delay', '0', '--appendonly', 'yes'] });
  link = await FaultProxy.start(master);
  replica = await RedisServer.start({ args: ['--replicaof', link.host, String(link.port)] });
  admin = new Redis(master.url);
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

  it.each(LOCKS)('TP-01 the %s lock is had once it does', async (_, lockOf) => {
    const { locks } = await clients.open({ replicas: { min: 1, timeout: '3s' } });
    const hold = await lockOf(locks, 'order:7').acquire();
    expect(await lockOf(locks, 'order:7').isLocked()).toBe(true);
    expect(await hold.release()).toBe('released');
  });

  it.each(LOCKS)('F21 the %s lock is given back, and that is said, where it does not', async (_, lockOf) => {
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
    const taker = new Redis(replica.url);
    await taker.replicaof('NO', 'ONE');
    expect(await taker.hkeys('order:7')).toEqual([hold.owner]);
    await taker.replicaof(link.host, link.port);
    taker.disconnect();
    link.heal();
    await time.until(async () => (await admin.wait(1, 100)) === 1, 10_000);
    await hold.release();
  });

  it('many that are acquired at once share what is asked', async () => {
    const { locks } = await clients.open({ replicas: { min: 1, timeout: '2s' } });
    await locks.withLock('warm', () => {});
    const before = await waits();
    const holds = await Promise.all(Array.from({ length: 100 }, (_, n) => locks.acquire(`order:${n}`)));
    expect((await waits()) - before).toBeLessThan(50);
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('more replicas than there are cannot be had', async () => {
    const { locks } = await clients.open({ replicas: { min: 2, timeout: 100 } });
    const error = await refusalOf(locks.acquire('order:7', { wait: 0 }));
    expect(error).toMatchObject({ details: { replicas: { wanted: 2, found: 1 } } });
    expect(await locks.getLock('order:7').isLocked()).toBe(false);
  });

  const waits = async (): Promise<number> =>
    Number(/cmdstat_wait:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
});

it('TP-08 without that, a replica and an append-only file cost no waiting', async () => {
  const { locks } = await clients.open();
  link.hold('reply');
  const start = performance.now();
  for (let round = 0; round < 100; round++) await locks.withLock(`order:${round}`, () => {});
  expect((performance.now() - start) / 100).toBeLessThan(50);
});

it('TP-10 a lock is taken and given back by one try, without a pause', async () => {
  const { locks } = await clients.open();
  const hold = await locks.tryAcquire('order:7', { wait: 0, lease: 10_000 });
  expect(await hold?.release()).toBe('released');
});
