import type { Redis } from 'ioredis';
import { LockUnavailableError } from '../../lib/standalone.js';
import { Time } from '../kit/time.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { describeWith, WITHOUT_WAITAOF } from '../servers/redis/server-features.js';
import { Replication } from '../servers/replication/replication.js';
import { TopologyClients } from './clients.js';
import { LOCKS } from './every-kind.js';

const time = Time.real();
const clients = new TopologyClients(() => replication.master.url);

let replication: Replication;
let master: Redis;
let replica: Redis;

/** Turns the append-only file of a server on or off. Resolves when it is complete. */
const setAppendOnly = async (server: Redis, value: 'yes' | 'no'): Promise<void> => {
  await server.config('SET', 'appendonly', value);
  const isDone = async () => /^aof_rewrite_in_progress:0/m.test(await server.info('persistence'));
  await time.until(isDone, 10_000);
};

beforeAll(async () => {
  // Each write is on disk at once. Replicas tell the master so once a second.
  replication = await Replication.start({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  const [first] = replication.replicas;
  if (first === undefined) throw new Error('There is no replica');
  master = replication.admin(replication.master);
  replica = replication.admin(first);
});

afterEach(async () => {
  await clients.close();
  await master.flushall();
});

afterAll(() => replication.stop());

const refusalOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describeWith('WAITAOF', 'With a replica that must have a lock on disk', () => {
  const replicas = { min: 1, timeout: 5000, aof: true };
  const briefly = { min: 1, timeout: 200, aof: true };

  it.each(LOCKS)('the %s lock is acquired once master and replica have it there', async (_, lockOf) => {
    const { locks } = await clients.open({ replicas });
    const hold = await lockOf(locks, 'order:7').acquire();
    expect(await lockOf(locks, 'order:7').isLocked()).toBe(true);
    expect(await hold.release()).toBe('released');
  });

  it('permits are acquired once master and replica have them there', async () => {
    const { locks } = await clients.open({ replicas });
    const permits = locks.getPermitExpirableSemaphore('order:7');
    await permits.trySetPermits(1);
    await permits.release(await permits.acquire({ lease: '10s' }));
    expect(await permits.availablePermits()).toBe(1);
  });

  it.each(LOCKS)('the %s lock is released with an error if the replica writes no file', async (_, lockOf) => {
    await setAppendOnly(replica, 'no');
    try {
      const { locks } = await clients.open({ replicas: briefly });
      const error = await refusalOf(lockOf(locks, 'order:7').acquire({ wait: 0 }));
      expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', permanent: false });
      // A replica that only has the lock in memory suffices without the option.
      const { locks: lenient } = await clients.open({ replicas: { min: 1, timeout: '5s' } });
      await (await lockOf(lenient, 'order:7').acquire({ wait: '5s' })).release();
    } finally {
      await setAppendOnly(replica, 'yes');
    }
  });

  it('the lock is refused for good if the master writes no file', async () => {
    await setAppendOnly(master, 'no');
    try {
      const { locks } = await clients.open({ replicas: briefly, probe: false });
      const error = await refusalOf(locks.acquire('order:7', { wait: '10s' }));
      expect(error).toBeInstanceOf(LockUnavailableError);
      expect(error).toMatchObject({
        permanent: true,
        message: expect.stringMatching(/writes no append-only file; set "appendonly yes" on it, or leave out/),
      });
      expect(await master.exists('order:7')).toBe(0);
    } finally {
      await setAppendOnly(master, 'yes');
    }
  });

  it('files that are flushed once a second are waited for with the default time-out', async () => {
    for (const server of [master, replica]) await server.config('SET', 'appendfsync', 'everysec');
    try {
      const { locks } = await clients.open({ replicas: { min: 1, aof: true } });
      for (let round = 0; round < 3; round++) {
        const hold = await locks.acquire('order:7', { wait: 0 });
        expect(await hold.release()).toBe('released');
      }
    } finally {
      for (const server of [master, replica]) await server.config('SET', 'appendfsync', 'always');
    }
  });
});

describe('On a server without WAITAOF', () => {
  it('the lock is refused for good, and given back', async () => {
    await using old = await RedisServer.start({ args: WITHOUT_WAITAOF });
    const admin = connectAdmin(old.url);
    try {
      const { locks } = await clients.open({ replicas: { min: 1, aof: true }, probe: false }, old.url);
      const error = await refusalOf(locks.acquire('order:7', { wait: '10s' }));
      expect(error).toMatchObject({
        permanent: true,
        message: expect.stringMatching(/does not have the command WAITAOF; leave out the option "replicas.aof"/),
      });
      expect(await admin.exists('order:7')).toBe(0);
    } finally {
      admin.disconnect();
    }
  });
});
