import { LockError, LockLostError, LockKeyTypeError } from '../../lib/errors.js';
import type { Hold } from '../../lib/holds/hold.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, LEASE, useServerFixture } from './server-fixture.js';

/** The watchdog checks a hold every third of its lease. */
const NOTICED = LEASE / 3 + DEADLINE;

describe('F47: the key is taken away', () => {
  const fixture = useServerFixture();

  const JAVA_FORCE_RELEASE = `if (redis.call('del', KEYS[1]) == 1) then redis.call('publish', KEYS[2], ARGV[1]); return 1 else return 0 end`;
  const takeAway = {
    FLUSHALL: () => fixture().admin.flushall(),
    DEL: () => fixture().admin.del('f47'),
    'a foreign owner': () => fixture().admin.multi().del('f47').hset('f47', 'java:1', 1).exec(),
    'a key of another type': () => fixture().admin.set('f47', 'text'),
    'the force release of a Java client': () =>
      fixture().admin.eval(JAVA_FORCE_RELEASE, 2, 'f47', 'redisson_lock__channel:{f47}', '0'),
    'the force release of another process': () => fixture().open().locks.getLock('f47').forceRelease(),
  };

  it.each(Object.entries(takeAway))(
    'by %s: a watchdog hold is lost soon, once, and sends nothing more',
    async (_, take) => {
      const client = fixture().open();
      const hold = await client.locks.acquire('f47');
      let aborts = 0;
      hold.signal.addEventListener('abort', () => aborts++);
      await take();
      const left = await fixture().admin.dump('f47');
      await until(() => hold.signal.aborted, NOTICED, 'the holder is told');
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      expect(client.events.filter(({ type }) => type === 'lost')).toHaveLength(1);
      await expect(hold.extend('10s')).rejects.toThrow(LockLostError);
      await expect(hold.release()).resolves.toBe('expired');
      expect(aborts).toBe(1);
      await expect(fixture().admin.dump('f47')).resolves.toEqual(left);
      expect(client.runtime.grants.size).toBe(0);
    },
  );

  it.each(Object.entries(takeAway))('by %s: a hold with a lease is lost with its next command', async (_, take) => {
    const { locks, runtime } = fixture().open();
    const ask = {
      extend: (hold: Hold) => hold.extend('90s'),
      're-enter': (hold: Hold) => hold.run(() => locks.acquire('f47')),
      release: (hold: Hold) => hold.release(),
    };
    for (const [how, call] of Object.entries(ask)) {
      await fixture().admin.flushall();
      const hold = await locks.acquire('f47', { lease: '60s' });
      await take();
      const left = await fixture().admin.dump('f47');
      const { value, error } = await settled<unknown>(() => call(hold));
      const told = { value, code: error instanceof LockError ? error.code : undefined };
      const gone = how === 'release' ? { value: 'expired', code: undefined } : { value: undefined, code: 'LOCK_LOST' };
      expect({ how, ...told }).toEqual({ how, ...gone });
      await hold.release().catch(() => {});
      await expect(fixture().admin.dump('f47')).resolves.toEqual(left);
      expect(runtime.grants.size).toBe(0);
    }
  });

  it('by a key of another type before: acquisitions are refused with that type, waiting ones too', async () => {
    const { locks } = fixture().open();
    for (const [type, make] of Object.entries({
      string: () => fixture().admin.set('f47', 'text'),
      list: () => fixture().admin.rpush('f47', 'text'),
      set: () => fixture().admin.sadd('f47', 'text'),
      zset: () => fixture().admin.zadd('f47', 1, 'text'),
      stream: () => fixture().admin.xadd('f47', '*', 'a', 'b'),
    })) {
      await fixture().admin.flushall();
      await make();
      const before = await fixture().admin.dump('f47');
      const lock = locks.getLock('f47');
      for (const call of [
        () => lock.tryAcquire(),
        () => lock.acquire({ wait: '10s' }),
        () => lock.withLock(() => 'ran'),
        () => lock.forceRelease(),
        () => lock.isLocked(),
        () => lock.remainingLease(),
      ]) {
        const { error } = await settled<unknown>(call);
        expect(error).toBeInstanceOf(LockKeyTypeError);
        expect(error).toMatchObject({ lockName: 'f47', details: { found: type } });
      }
      await expect(fixture().admin.dump('f47')).resolves.toEqual(before);
    }
  });

  it('by a key of another type during a wait: all waiters are rejected', async () => {
    const holder = fixture().open();
    const waiter = fixture().open();
    const hold = fixture().history.note(await holder.locks.acquire('f47', { lease: '60s' }));
    const waiting = [1, 2, 3].map(() => settled(() => waiter.locks.acquire('f47', { wait: '30s' })));
    await fixture().listening('f47');
    await fixture().admin.set('f47', 'text');
    await fixture().admin.publish('redisson_lock__channel:{f47}', '0');
    for (const { error } of await Promise.all(waiting)) expect(error).toBeInstanceOf(LockKeyTypeError);
    expect(waiter.runtime.acquirer.contended).toBe(0);
    await expect(hold.release()).resolves.toBe('expired');
    await expect(fixture().admin.get('f47')).resolves.toBe('text');
  });
});
