import { LockUnavailableError } from '../../lib/errors.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { executions, expectWithin, settled } from './observe.js';
import { Time } from '../kit/time.js';
import { until } from '../kit/until.js';
import { DEADLINE, LEASE, SLOW, useServerFixture } from './server-fixture.js';

describe('F17: the server is far out of memory', () => {
  const fixture = useServerFixture();

  const fill = () => fixture().admin.config('SET', 'maxmemory', '1');
  const refill = () => fixture().admin.config('SET', 'maxmemory', '0');

  afterEach(async () => {
    await refill();
  });

  it('refuses an acquire, and leaves no key', async () => {
    const client = fixture().open(undefined, { commandTimeout: '1s' });
    const { locks } = client;
    await client.connected();
    await fill();
    for (const options of [{}, { lease: '60s' }, { wait: 300 }] as const) {
      const attempt = await settled(() => locks.tryAcquire('f17:new', options));
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expect(attempt.error).toMatchObject({ outcome: 'refused', permanent: false });
      expect(String(attempt.error)).toContain('OOM');
      expectWithin(attempt, 300 + DEADLINE + 100);
    }
    await expect(fixture().admin.keys('*')).resolves.toEqual([]);
  });

  it('releases a held lock', async () => {
    const { locks } = fixture().open();
    const waiter = fixture().open();
    const hold = fixture().history.note(await locks.acquire('f17:mine'));
    const waiting = settled(() => waiter.locks.acquire('f17:mine', { wait: 500 }));
    const { admin } = fixture();
    await until(async () => (await admin.zcard('{f17:mine}:waiters')) === 1, 1000, 'the waiter has an entry');
    await fill();
    await expect(hold.release()).resolves.toBe('released');
    // The release gives the lock to the waiter, which could not acquire it now.
    expect((await waiting).value?.isHeld).toBe(true);
    await expect(admin.hlen('f17:mine')).resolves.toBe(1);
  });

  it('re-enters, extends, and releases one after the other', async () => {
    const { locks } = fixture().open();
    const { admin } = fixture();
    const outer = fixture().history.note(await locks.acquire('f17:twice', { lease: '10s' }));
    await fill();
    const inner = await outer.run(() => locks.acquire('f17:twice', { lease: '10s' }));
    await expect(admin.hgetall('f17:twice')).resolves.toEqual({ [outer.owner]: '2' });
    await inner.extend('30s');
    expect(await admin.pttl('f17:twice')).toBeGreaterThan(20_000);
    await expect(inner.release()).resolves.toBe('still-held');
    await expect(admin.hgetall('f17:twice')).resolves.toEqual({ [outer.owner]: '1' });
    await expect(outer.release()).resolves.toBe('released');
  });

  it('renews a watchdog hold beyond its lease', async () => {
    // So long that no stall of a busy machine ends the lease: one of 3 s was lost at a load of 11.
    const { locks, events } = fixture().open(undefined, { ...SLOW, renewedLease: 8 * LEASE });
    const hold = fixture().history.note(await locks.acquire('f17:kept'));
    await fill();
    // After the second, it lasts for longer than its first lease.
    for (let renewal = 0; renewal < 2; renewal++) {
      await Time.real().renewed(async () => [await fixture().admin.pttl('f17:kept')]);
    }
    hold.assertHeld();
    expect(events).toEqual([]);
    await expect(hold.release()).resolves.toBe('released');
  });

  it('undoes an acquire whose reply was lost', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const cut = proxy.cutAfter(mentions('eval', 'f17:ghost'));
    proxy.acceptThenClose();
    const attempt = await settled(() => client.locks.tryAcquire('f17:ghost', { lease: '60s' }));
    expect(attempt.error).toBeInstanceOf(LockUnavailableError);
    await cut;
    await expect(fixture().admin.exists('f17:ghost')).resolves.toBe(1);
    await fill();
    proxy.heal();
    const gone = async () => (await fixture().admin.exists('f17:ghost')) === 0;
    await until(gone, 1000 + 2 * DEADLINE, 'the ghost is gone');
  });

  it('force-releases, and grants again once there is memory', async () => {
    const { locks } = fixture().open();
    const waiter = fixture().open();
    await locks.acquire('f17:forced', { lease: '60s' });
    await fill();
    await expect(waiter.locks.getLock('f17:forced').forceRelease()).resolves.toBe(true);
    const waiting = settled(() => waiter.locks.acquire('f17:forced', { wait: '10s' }));
    await until(async () => (await executions(fixture().admin, 'hset')) > 0, 1000, 'somebody asks');
    await refill();
    const { value } = await waiting;
    await expect(value?.release()).resolves.toBe('released');
  });
});
