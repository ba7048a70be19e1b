import { setTimeout as sleep } from 'node:timers/promises';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, RECONNECT, SLOW, useServerFixture } from './server-fixture.js';

const LONG = 60_000;

describe('F2: the reply of a release is lost', () => {
  const fixture = useServerFixture();

  it('reports the one release that happened, count 1', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const hold = fixture().history.note(await client.locks.acquire('f2:one', { lease: LONG }));
    const cut = proxy.cutAfter(mentions('eval', 'f2:one'));
    const release = await settled(() => hold.release());
    await cut;
    expect(release.value).toBe('released');
    expectWithin(release, 2 * DEADLINE);
    await expect(fixture().admin.exists('f2:one')).resolves.toBe(0);
    expect(hold.signal.aborted).toBe(false);
    expect(client.runtime.grants.size).toBe(0);
  });

  it.each(['cutBefore', 'cutAfter'] as const)(
    'D74: rejects if both tries are cut, and repeats the release in the background: %s',
    async (cut) => {
      const { client, proxy } = await fixture().openBehindProxy({ commandTimeout: '2s' });
      const hold = fixture().history.note(await client.locks.acquire('f2:both', { lease: LONG }));
      const cutTwice = proxy[cut](mentions('eval', 'f2:both')).then(() => proxy[cut](mentions('eval', 'f2:both')));
      await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'unknown' });
      await cutTwice;
      expect(hold.isHeld).toBe(false);
      await until(async () => (await fixture().admin.exists('f2:both')) === 0, 3000, 'it is released');
    },
  );

  it.each(['cutBefore', 'cutAfter'] as const)(
    'in the background, changes no result: it is repeated, once and more often: %s',
    async (cut) => {
      const { client, proxy } = await fixture().openBehindProxy({ commandTimeout: '2s', release: 'background' });
      const isFree = async () => (await fixture().admin.exists('f2:behind')) === 0;
      const work = (tries: number) =>
        client.locks.withLock('f2:behind', { lease: LONG, wait: '20s' }, () => {
          const first = proxy[cut](mentions('eval', 'f2:behind'));
          const cuts = tries === 1 ? first : first.then(() => proxy[cut](mentions('eval', 'f2:behind')));
          return { cuts };
        });
      const once = await work(1);
      await once.cuts;
      await until(isFree, 5000, 'it is released');
      await client.connected();
      expect(client.events).toEqual([]);
      const twice = await work(2);
      await twice.cuts;
      await until(isFree, 5000, 'it is released');
      await until(() => client.events.some(({ type }) => type === 'release-failed'), 5000, 'it is told');
      client.events.length = 0;
    },
  );

  it('does not touch the next holder, which came in between', async () => {
    // The request to release has to last until the next owner has the lock and a connection is back.
    const { client, proxy } = await fixture().openBehindProxy({ commandTimeout: '1s' });
    const other = fixture().open();
    const { admin, history } = fixture();
    for (let round = 0; round < 5; round++) {
      const name = `f2:next:${round}`;
      const first = history.note(await client.locks.acquire(name, { lease: LONG }));
      const waiter = other.locks.acquire(name, { wait: '10s', lease: LONG });
      const cut = proxy.cutAfter(mentions('eval', name));
      // The retry of the release comes after the next owner has the lock.
      proxy.acceptThenClose();
      const release = settled(() => first.release());
      await cut;
      const second = history.note(await waiter);
      proxy.heal();
      expect((await release).value).toBe('released');
      await expect(admin.hgetall(name)).resolves.toEqual({ [second.owner]: '1' });
      second.assertHeld();
      await expect(second.release()).resolves.toBe('released');
      await client.connected();
    }
  });

  it('leaves the outer hold when the inner one was released, count 2', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const { admin } = fixture();
    const outer = fixture().history.note(await client.locks.acquire('f2:two', { lease: LONG }));
    const inner = await outer.run(() => client.locks.acquire('f2:two', { lease: LONG }));
    await expect(admin.hgetall('f2:two')).resolves.toEqual({ [outer.owner]: '2' });

    const cut = proxy.cutAfter(mentions('eval', 'f2:two'));
    const release = await settled(() => inner.release());
    await cut;
    expect(release.value).toBe('still-held');
    expectWithin(release, 2 * DEADLINE);
    await expect(admin.hgetall('f2:two')).resolves.toEqual({ [outer.owner]: '1' });
    expect(await admin.pttl('f2:two')).toBeGreaterThan(0);
    outer.assertHeld();

    const lastCut = proxy.cutAfter(mentions('eval', 'f2:two'));
    await expect(outer.release()).resolves.toBe('released');
    await lastCut;
    await expect(admin.exists('f2:two')).resolves.toBe(0);
  });

  it('counts right after inner releases that never arrived', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const { admin } = fixture();
    const outer = fixture().history.note(await client.locks.acquire('f2:three', { lease: LONG }));
    const enter = () => outer.run(() => client.locks.acquire('f2:three', { lease: LONG, wait: '5s' }));
    const inner = [await enter(), await enter()];
    proxy.acceptThenClose();
    proxy.cutAll();
    for (const hold of inner) await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await expect(admin.hgetall('f2:three')).resolves.toEqual({ [outer.owner]: '3' });
    proxy.heal();
    const isBack = () =>
      client.locks
        .getLock('f2:three')
        .isLocked()
        .catch(() => false);
    await until(isBack, RECONNECT + 2 * DEADLINE, 'the connection is back');
    const again = await enter();
    await expect(admin.hgetall('f2:three')).resolves.toEqual({ [outer.owner]: '2' });
    outer.assertHeld();
    await expect(again.release()).resolves.toBe('still-held');
    await expect(admin.hgetall('f2:three')).resolves.toEqual({ [outer.owner]: '1' });
    await expect(outer.release()).resolves.toBe('released');
    await expect(admin.exists('f2:three')).resolves.toBe(0);
  });

  it.each([
    ['a lease', { lease: LONG }],
    ['the watchdog', {}],
  ])('repeats a release that never arrived in the background, as long as the hold can last: %s', async (_, options) => {
    const { client, proxy } = await fixture().openBehindProxy({ renewedLease: LONG });
    const hold = fixture().history.note(await client.locks.acquire('f2:behind', options));
    proxy.acceptThenClose();
    const cut = proxy.cutBefore(mentions('eval', 'f2:behind'));
    const release = await settled(() => hold.release());
    await cut;
    expect(release.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expectWithin(release, 2 * DEADLINE + 50);
    // The release goes on long after the caller has its error.
    await sleep(5 * DEADLINE);
    await expect(fixture().admin.exists('f2:behind')).resolves.toBe(1);
    proxy.heal();
    const free = async () => (await fixture().admin.exists('f2:behind')) === 0;
    await until(free, RECONNECT + 2 * DEADLINE, 'the lock is free');
  });

  it('repeats the release of an unwanted grant in the background', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const abort = new AbortController();
    proxy.delay(50, 'reply');
    const attempt = settled(() => client.locks.acquire('f2:unwanted', { lease: LONG, wait: 0, signal: abort.signal }));
    await until(async () => (await fixture().admin.exists('f2:unwanted')) === 1, 1000, 'it is granted');
    abort.abort();
    const cut = proxy.cutBefore(mentions('eval', 'f2:unwanted'));
    expect((await attempt).error).toMatchObject({ code: 'LOCK_ABORTED' });
    proxy.acceptThenClose();
    await cut;
    await sleep(5 * DEADLINE);
    await expect(fixture().admin.exists('f2:unwanted')).resolves.toBe(1);
    proxy.heal();
    const free = async () => (await fixture().admin.exists('f2:unwanted')) === 0;
    await until(free, RECONNECT + 2 * DEADLINE, 'the lock is free');
  });
});
