import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { LockUnavailableError } from '../../lib/errors.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { type ClientSetup, DEADLINE, RECONNECT, useServerFixture } from './server-fixture.js';

/** A lease that cannot end during a test, so a permit that is soon back was undone. */
const LONG = '60s';

/** Long enough for a second try over a new connection. */
const PATIENT = { commandTimeout: '1s' } as const;

/** The number of free permits and the number of acquired ones, as stored on the server. */
const rawState = async (admin: Redis, name: string) => ({
  available: Number(await admin.get(name)),
  out: await admin.zcard(`{${name}}:timeout`),
});

describe('F1, F2: the reply of a request about permits with ids is lost', () => {
  const fixture = useServerFixture();

  const setUp = async (name: string, permits: number, options?: ClientSetup) => {
    const { client, proxy } = await fixture().openBehindProxy(options);
    const { admin } = fixture();
    await admin.set(name, permits);
    const semaphore = client.locks.getPermitExpirableSemaphore(name);
    // After this the client is connected, and no earlier request can be hit by a cut.
    await semaphore.availablePermits();
    return { semaphore, proxy, state: () => rawState(admin, name) };
  };

  const becomes = (state: () => Promise<object>, wanted: object, ms = RECONNECT + 2 * DEADLINE): Promise<void> =>
    until(async () => JSON.stringify(await state()) === JSON.stringify(wanted), ms, JSON.stringify(wanted));

  it.each([
    ['with a lease', { lease: LONG }],
    ['without one', {}],
  ] as const)('undoes a single attempt that took permits, and never takes too many: %s', async (_, options) => {
    const { semaphore, proxy, state } = await setUp('f1:try', 5);
    for (let round = 0; round < 5; round++) {
      const cut = proxy.cutAfter(mentions('eval', 'f1:try'));
      const attempt = await settled(() => semaphore.tryAcquireMany(3, options));
      await cut;
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expect(attempt.error).toMatchObject({ outcome: 'unknown', lockName: 'f1:try' });
      await becomes(state, { available: 5, out: 0 });
      await until(
        () =>
          semaphore.availablePermits().then(
            (free) => free === 5,
            () => false,
          ),
        RECONNECT,
        'connected',
      );
    }
  });

  it('undoes an attempt without a lease also after a long outage', async () => {
    const { semaphore, proxy, state } = await setUp('f1:away', 1);
    const cut = proxy.cutAfter(mentions('eval', 'f1:away'));
    proxy.acceptThenClose();
    const attempt = await settled(() => semaphore.tryAcquire());
    await cut;
    expect(attempt.error).toMatchObject({ outcome: 'unknown' });
    await sleep(5 * DEADLINE);
    await expect(state()).resolves.toEqual({ available: 0, out: 1 });
    proxy.heal();
    await becomes(state, { available: 1, out: 0 });
  });

  it('takes permits once for a waiter', async () => {
    const { semaphore, proxy, state } = await setUp('f1:wait', 4);
    const cut = proxy.cutAfter(mentions('eval', 'f1:wait'));
    const attempt = await settled(() => semaphore.acquireMany(2, { wait: '5s', lease: LONG }));
    await cut;
    const ids = attempt.value ?? [];
    expect(ids).toHaveLength(2);
    // The effect of the first try is undone, and that of the second stays.
    await becomes(state, { available: 2, out: 2 });
    await semaphore.release(ids);
    await expect(state()).resolves.toEqual({ available: 4, out: 0 });
  });

  it('reports the one release that happened', async () => {
    const { semaphore, proxy, state } = await setUp('f2:one', 2);
    const [first, second] = [await semaphore.acquire(), await semaphore.acquire({ lease: LONG })];
    for (const [release, available] of [
      [() => semaphore.release(first), 1],
      [() => semaphore.tryRelease(second), 2],
    ] as const) {
      const cut = proxy.cutAfter(mentions('eval', 'f2:one'));
      const released = await settled<unknown>(release);
      await cut;
      expect(released.error).toBeUndefined();
      expect(released.value).not.toBe(false);
      await expect(state()).resolves.toEqual({ available, out: 2 - available });
    }
    await expect(semaphore.tryRelease(first)).resolves.toBe(false);
    await expect(state()).resolves.toEqual({ available: 2, out: 0 });
  });

  it('reports the one release of several permits that happened', async () => {
    const { semaphore, proxy, state } = await setUp('f2:list', 5);
    const ids = await semaphore.acquireMany(4, { lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', 'f2:list'));
    const released = await settled(() => semaphore.release(ids));
    await cut;
    expect(released.error).toBeUndefined();
    await expect(state()).resolves.toEqual({ available: 5, out: 0 });
  });

  it('does not report a release as done that did nothing because one permit was not held', async () => {
    const { semaphore, proxy, state } = await setUp('f2:some', 5);
    const [gone = '', ...rest] = await semaphore.acquireMany(3, { lease: LONG });
    await semaphore.release(gone);
    const cut = proxy.cutAfter(mentions('eval', 'f2:some'));
    const released = await settled(() => semaphore.tryRelease([gone, ...rest]));
    await cut;
    expect(released.value).toBe(false);
    await expect(state()).resolves.toEqual({ available: 3, out: 2 });
  });

  it.each([1, 3])(
    'repeats a release of %d that never arrived in the background, however long that takes',
    async (permits) => {
      let passed = 0;
      const scheduler = { ...systemScheduler, now: () => systemScheduler.now() + passed };
      const { semaphore, proxy, state } = await setUp('f2:behind', permits, { scheduler });
      const ids = await semaphore.acquireMany(permits);
      proxy.acceptThenClose();
      const cut = proxy.cutBefore(mentions('eval', 'f2:behind'));
      const released = await settled(() => semaphore.release(permits === 1 ? (ids[0] ?? '') : ids));
      await cut;
      expect(released.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      passed = 3_600_000;
      await sleep(2 * DEADLINE);
      await expect(state()).resolves.toEqual({ available: 0, out: permits });
      proxy.heal();
      await becomes(state, { available: permits, out: 0 });
    },
  );

  it('changes the number of permits once', async () => {
    const { semaphore, proxy, state } = await setUp('f1:number', 3, PATIENT);
    for (const [change, available] of [
      [() => semaphore.addPermits(4), 7],
      [() => semaphore.addPermits(-2), 5],
      [() => semaphore.setPermits(9), 9],
    ] as const) {
      const cut = proxy.cutAfter(mentions('eval', 'f1:number'));
      const changed = await settled<void>(change);
      await cut;
      expect(changed.error).toBeUndefined();
      await expect(state()).resolves.toEqual({ available, out: 0 });
      await until(
        () =>
          semaphore.availablePermits().then(
            () => true,
            () => false,
          ),
        RECONNECT,
        'connected',
      );
    }
  });

  it('reports success to the caller that set the permits', async () => {
    const { semaphore, proxy, state } = await setUp('f1:set', 0, PATIENT);
    await semaphore.delete();
    const cut = proxy.cutAfter(mentions('eval', 'f1:set', 'redisson_sc'));
    const set = await settled(() => semaphore.trySetPermits(3));
    await cut;
    expect(set.value).toBe(true);
    await expect(state()).resolves.toEqual({ available: 3, out: 0 });
  });

  it('sets the lease of a permit once', async () => {
    const { semaphore, proxy } = await setUp('f3:lease', 1, PATIENT);
    const id = await semaphore.acquire();
    const cut = proxy.cutAfter(mentions('eval', 'f3:lease'));
    const updated = await settled(() => semaphore.updateLeaseTime(id, LONG));
    await cut;
    expect(updated.value).toBe(true);
    expect(await semaphore.leaseTime(id)).toBeGreaterThan(50_000);
  });
});

describe('F17: the server is out of memory', () => {
  const fixture = useServerFixture();
  const fill = () => fixture().admin.config('SET', 'maxmemory', '1');

  afterEach(async () => {
    await fixture().admin.config('SET', 'maxmemory', '0');
  });

  it('refuses permits, and changes nothing', async () => {
    const semaphore = fixture().open().locks.getPermitExpirableSemaphore('f17:new');
    await semaphore.trySetPermits(2);
    await semaphore.availablePermits();
    await fill();
    const attempt = await settled(() => semaphore.tryAcquire({ lease: LONG }));
    expect(attempt.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'refused' });
    await expect(rawState(fixture().admin, 'f17:new')).resolves.toEqual({ available: 2, out: 0 });
  });

  it('releases permits, extends and counts them', async () => {
    const semaphore = fixture().open().locks.getPermitExpirableSemaphore('f17:mine');
    await semaphore.trySetPermits(5);
    const [one = '', two = '', ...rest] = await semaphore.acquireMany(4, { lease: '20s' });
    const short = await semaphore.acquire({ lease: 600 });
    await fill();
    await expect(semaphore.updateLeaseTime(one, LONG)).resolves.toBe(true);
    expect(await semaphore.leaseTime(one)).toBeGreaterThan(50_000);
    await expect(semaphore.tryRelease(two)).resolves.toBe(true);
    await expect(semaphore.tryRelease(rest)).resolves.toBe(true);
    await until(async () => (await semaphore.availablePermits()) === 4, 5000, 'the short lease is over');
    await expect(semaphore.tryRelease(short)).resolves.toBe(false);
    await expect(semaphore.delete()).resolves.toBe(true);
  });
});
