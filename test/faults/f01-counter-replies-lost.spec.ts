import { setTimeout as sleep } from 'node:timers/promises';
import { LockUnavailableError } from '../../lib/errors.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { executions, expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, RECONNECT, SLOW, useServerFixture } from './server-fixture.js';

const ROUNDS = 5;

/** Permits and counts have no owner: only the request itself can tell whether it was executed before. */
describe('F1: the reply of a request about permits or counts is lost', () => {
  const fixture = useServerFixture();
  const valueOf = async (name: string): Promise<number> => Number(await fixture().admin.get(name));

  /** Expects that no background work changes the value any more. */
  const staysAt = async (name: string, value: number): Promise<void> => {
    await sleep(3 * DEADLINE);
    await expect(valueOf(name)).resolves.toBe(value);
  };

  /** Records the next command that mentions all of the words, as it reached the server. */
  const overheard = async (...words: string[]): Promise<() => Promise<string[]>> => {
    const monitor = await fixture().admin.monitor();
    fixture().after(async () => monitor.disconnect());
    const heard = new Promise<string[]>((resolve) =>
      monitor.on('monitor', (_time: string, args: string[], source: string) => {
        if (source !== 'lua' && words.every((word) => args.some((arg) => arg.includes(word)))) resolve(args);
      }),
    );
    return () => heard;
  };

  describe('of an acquire', () => {
    it('rejects a single attempt as unknown in time, and releases the permits that it took', async () => {
      const { client, proxy } = await fixture().openBehindProxy(SLOW);
      const taken = await executions(fixture().admin, 'decrby');
      for (let round = 0; round < ROUNDS; round++) {
        const name = `f1:try:${round}`;
        await fixture().admin.set(name, 5);
        const cut = proxy.cutAfter(mentions('eval', name));
        const attempt = await settled(() => client.locks.getSemaphore(name).tryAcquire(2));
        await cut;
        expect(attempt.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'unknown', lockName: name });
        expectWithin(attempt, SLOW.commandTimeout + 100);
        const within = RECONNECT + 2 * SLOW.commandTimeout;
        await until(async () => (await valueOf(name)) === 5, within, 'they are given back');
        await client.connected();
      }
      expect((await executions(fixture().admin, 'decrby')) - taken).toBe(ROUNDS);
      await sleep(2 * DEADLINE);
      for (let round = 0; round < ROUNDS; round++) await expect(valueOf(`f1:try:${round}`)).resolves.toBe(5);
    });

    it('takes the permits once when the acquirer waits', async () => {
      const { client, proxy } = await fixture().openBehindProxy();
      await fixture().admin.set('f1:wait', 2);
      const cut = proxy.cutAfter(mentions('eval', 'f1:wait'));
      const attempt = await settled(() => client.locks.getSemaphore('f1:wait').acquire(2, { wait: '5s' }));
      await cut;
      expect(attempt.error).toBeUndefined();
      await staysAt('f1:wait', 0);
    });

    it('takes nothing when it arrives late', async () => {
      const { client, proxy } = await fixture().openBehindProxy();
      await fixture().admin.set('f1:late', 2);
      const taken = await executions(fixture().admin, 'decrby');
      proxy.hold('request');
      const attempt = await settled(() => client.locks.getSemaphore('f1:late').tryAcquire());
      expect(attempt.error).toMatchObject({ outcome: 'unknown' });
      await sleep(DEADLINE);
      proxy.heal();
      await staysAt('f1:late', 2);
      await expect(executions(fixture().admin, 'decrby')).resolves.toBe(taken);
    });

    it('wakes the waiters when it releases the permits', async () => {
      const { client, proxy } = await fixture().openBehindProxy();
      const waiter = fixture().open(undefined, { safetyPoll: '1m' });
      await fixture().admin.set('f1:told', 1);
      const cut = proxy.cutAfter(mentions('eval', 'f1:told'));
      proxy.acceptThenClose();
      await settled(() => client.locks.getSemaphore('f1:told').tryAcquire());
      await cut;
      const waiting = settled(() => waiter.locks.getSemaphore('f1:told').acquire(1, { wait: '10s' }));
      const listens = async () => Number((await fixture().admin.pubsub('NUMSUB', 'redisson_sc:{f1:told}'))[1]) === 1;
      await until(listens, 1000, 'somebody waits');
      await sleep(50);
      proxy.heal();
      expect((await waiting).error).toBeUndefined();
      await staysAt('f1:told', 0);
    });

    it('does not touch a semaphore that was deleted meanwhile', async () => {
      const { client, proxy } = await fixture().openBehindProxy();
      await fixture().admin.set('f1:gone', 1);
      const cut = proxy.cutAfter(mentions('eval', 'f1:gone'));
      proxy.acceptThenClose();
      await settled(() => client.locks.getSemaphore('f1:gone').tryAcquire());
      await cut;
      await fixture().admin.del('f1:gone');
      proxy.heal();
      await client.connected();
      await sleep(2 * DEADLINE);
      await expect(fixture().admin.keys('*')).resolves.toEqual([]);
    });

    it('undoes a drain', async () => {
      const { client, proxy } = await fixture().openBehindProxy();
      await fixture().admin.set('f1:drain', 7);
      const cut = proxy.cutAfter(mentions('eval', 'f1:drain'));
      const drain = await settled(() => client.locks.getSemaphore('f1:drain').drainPermits());
      await cut;
      expect(drain.error).toBeInstanceOf(LockUnavailableError);
      await until(async () => (await valueOf('f1:drain')) === 7, RECONNECT + 2 * DEADLINE, 'they are given back');
      await staysAt('f1:drain', 7);
    });
  });

  describe('of a release', () => {
    it('releases once', async () => {
      const { client, proxy } = await fixture().openBehindProxy(SLOW);
      for (let round = 0; round < ROUNDS; round++) {
        const name = `f1:release:${round}`;
        const cut = proxy.cutAfter(mentions('eval', name));
        await expect(client.locks.getSemaphore(name).release(3)).resolves.toBeUndefined();
        await cut;
        await client.connected();
      }
      await sleep(2 * DEADLINE);
      for (let round = 0; round < ROUNDS; round++) await expect(valueOf(`f1:release:${round}`)).resolves.toBe(3);
    });

    it('releases once, also where a copy of the request arrives after its repetition was answered', async () => {
      const { client, proxy } = await fixture().openBehindProxy({ commandTimeout: '2s' });
      // The monitor escapes the text of a script, which the first call on a connection has.
      await client.locks.getSemaphore('f1:known').release();
      const copy = await overheard('f1:copy');
      const cut = proxy.cutAfter(mentions('eval', 'f1:copy'));
      await client.locks.getSemaphore('f1:copy').release();
      await cut;
      const [command = '', ...args] = await copy();
      const [answer] = (await fixture().admin.call(command, ...args)) as unknown[];
      expect(answer).toBe('released');
      await expect(valueOf('f1:copy')).resolves.toBe(1);
    });

    it.each(['cutAfter', 'cutBefore'] as const)('continues in the background, %s, and releases once', async (when) => {
      const { client, proxy } = await fixture().openBehindProxy();
      await fixture().admin.set('f1:behind', 0);
      proxy.acceptThenClose();
      const cut = proxy[when](mentions('eval', 'f1:behind'));
      const release = await settled(() => client.locks.getSemaphore('f1:behind').release());
      await cut;
      expect(release.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expectWithin(release, 2 * DEADLINE + 50);
      await staysAt('f1:behind', when === 'cutAfter' ? 1 : 0);
      proxy.heal();
      await until(async () => (await valueOf('f1:behind')) === 1, RECONNECT + 2 * DEADLINE, 'it is released');
      await staysAt('f1:behind', 1);
    });

    it('after work does not change the result of the work, and is an event', async () => {
      const { client, proxy } = await fixture().openBehindProxy();
      await fixture().admin.set('f1:work', 1);
      const working = client.locks.getSemaphore('f1:work').withPermits(1, async () => {
        await client.connected();
        proxy.acceptThenClose();
        proxy.cutAll();
        return 'done';
      });
      await expect(working).resolves.toBe('done');
      // An outage that lasts longer than a command may is an event as well.
      const events = client.events.filter(({ type }) => type !== 'unavailable');
      expect(events).toMatchObject([{ type: 'permits-release-failed', lockName: 'f1:work', permits: 1 }]);
      proxy.heal();
      await until(async () => (await valueOf('f1:work')) === 1, RECONNECT + 2 * DEADLINE, 'it is released');
    });
  });

  describe('of a count-down', () => {
    it('counts once', async () => {
      const { client, proxy } = await fixture().openBehindProxy(SLOW);
      await fixture().admin.set('f1:latch', ROUNDS + 1);
      for (let round = 0; round < ROUNDS; round++) {
        const cut = proxy.cutAfter(mentions('eval', 'f1:latch'));
        await expect(client.locks.getCountDownLatch('f1:latch').countDown()).resolves.toBeUndefined();
        await cut;
        await client.connected();
      }
      await staysAt('f1:latch', 1);
    });

    it.each([1, undefined])('does not count down what was set after it, from %s', async (before) => {
      const { client, proxy } = await fixture().openBehindProxy();
      if (before !== undefined) await fixture().admin.set('f1:next', before);
      const cut = proxy.cutAfter(mentions('eval', 'f1:next'));
      proxy.acceptThenClose();
      const count = settled(() => client.locks.getCountDownLatch('f1:next').countDown());
      await cut;
      await fixture().admin.set('f1:next', 5);
      proxy.heal();
      await count;
      await sleep(3 * DEADLINE);
      await expect(valueOf('f1:next')).resolves.toBe(5);
    });

    it('continues in the background, and counts once', async () => {
      const { client, proxy } = await fixture().openBehindProxy();
      const waiter = fixture().open();
      await fixture().admin.set('f1:open', 1);
      const waiting = settled(() => waiter.locks.getCountDownLatch('f1:open').await({ wait: '10s' }));
      proxy.acceptThenClose();
      const cut = proxy.cutBefore(mentions('eval', 'f1:open'));
      const count = await settled(() => client.locks.getCountDownLatch('f1:open').countDown());
      await cut;
      expect(count.error).toBeInstanceOf(LockUnavailableError);
      proxy.heal();
      expect((await waiting).value).toBe(true);
    });
  });

  it('is repeated with the first reply, if permits are set, added or deleted', async () => {
    const { client, proxy } = await fixture().openBehindProxy({ commandTimeout: '2s' });
    const semaphore = client.locks.getSemaphore('f1:set');
    const latch = client.locks.getCountDownLatch('f1:set:latch');
    const lost = async <T>(call: () => Promise<T>): Promise<T> => {
      const cut = proxy.cutAfter(mentions('eval', 'f1:set'));
      const [answer] = await Promise.all([call(), cut]);
      await client.connected();
      return answer;
    };
    await expect(lost(() => semaphore.trySetPermits(3))).resolves.toBe(true);
    await expect(lost(() => semaphore.trySetPermits(4))).resolves.toBe(false);
    await lost(() => semaphore.addPermits(4));
    await expect(valueOf('f1:set')).resolves.toBe(7);
    await expect(lost(() => semaphore.releaseIfExists(2))).resolves.toBe(true);
    await expect(valueOf('f1:set')).resolves.toBe(9);
    await expect(lost(() => semaphore.delete())).resolves.toBe(true);
    await expect(lost(() => semaphore.releaseIfExists(2))).resolves.toBe(false);
    await expect(lost(() => latch.trySetCount(3))).resolves.toBe(true);
    await expect(lost(() => latch.delete())).resolves.toBe(true);
    await expect(fixture().admin.exists('f1:set', 'f1:set:latch')).resolves.toBe(0);
    // Remaining markers are deleted after a minute, or expire after a day.
    for (const marker of await fixture().admin.keys('*')) {
      expect(marker).toMatch(/^redisson_unlock_latch:\{f1:set(:latch)?\}:/);
      expect(await fixture().admin.pttl(marker)).toBeLessThanOrEqual(24 * 3_600_000 + 4000);
      expect(await fixture().admin.pttl(marker)).toBeGreaterThan(0);
    }
  });

  it('D18: is undone or repeated also after an outage of more than a minute, and leaves nothing behind', async () => {
    let passed = 0;
    const scheduler = { ...systemScheduler, now: () => systemScheduler.now() + passed };
    const { client, proxy } = await fixture().openBehindProxy({ scheduler });
    await fixture().admin.mset({ 'f1:long:a': 5, 'f1:long:b': 0, 'f1:long:c': 3 });
    const { locks } = client;
    const calls = [
      () => locks.getSemaphore('f1:long:a').tryAcquire(2),
      () => locks.getSemaphore('f1:long:b').release(3),
      () => locks.getCountDownLatch('f1:long:c').countDown(),
    ];
    // The first request is executed, and its answer is lost. The others are never executed.
    const cut = proxy.cutAfter(mentions('eval', 'f1:long:a'));
    proxy.acceptThenClose();
    for (const call of calls) {
      expect((await settled<unknown>(call)).error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    }
    await cut;
    await expect(valueOf('f1:long:a')).resolves.toBe(3);
    const markers = await fixture().admin.keys('redisson_unlock_latch:*');
    expect(markers).toHaveLength(1);
    for (const marker of markers) expect(await fixture().admin.pttl(marker)).toBeGreaterThan(23 * 3_600_000);
    passed = 85_000;
    await sleep(2 * DEADLINE);
    proxy.heal();
    const values = async () => [await valueOf('f1:long:a'), await valueOf('f1:long:b'), await valueOf('f1:long:c')];
    const done = async () => (await values()).join() === '5,3,2';
    await until(done, 2 * RECONNECT + 2 * DEADLINE, 'all three have happened');
    expect(client.events.filter(({ type }) => type === 'given-up')).toEqual([]);
  });

  it('D18: is reported with name and number if the application ends before it is certain', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    await fixture().admin.set('f1:end', 5);
    const cut = proxy.cutAfter(mentions('eval', 'f1:end'));
    proxy.acceptThenClose();
    await settled(() => client.locks.getSemaphore('f1:end').tryAcquire(2));
    await cut;
    await client.close();
    const told = client.events.filter(({ type }) => type === 'given-up');
    expect(told).toMatchObject([{ lockName: 'f1:end', request: 'acquire', count: 2 }]);
  });
});

describe('F17: the server is far out of memory, for permits and counts', () => {
  const fixture = useServerFixture();
  const fill = () => fixture().admin.config('SET', 'maxmemory', '1');

  afterEach(() => fixture().admin.config('SET', 'maxmemory', '0'));

  it('refuses what is new, and changes nothing', async () => {
    const client = fixture().open();
    await client.connected();
    const semaphore = client.locks.getSemaphore('s');
    await fixture().admin.set('s', 3);
    await fill();
    for (const call of [
      () => semaphore.tryAcquire(),
      () => semaphore.addPermits(1),
      () => semaphore.drainPermits(),
      () => client.locks.getSemaphore('new').trySetPermits(1),
      () => client.locks.getCountDownLatch('new').trySetCount(1),
    ]) {
      const { error } = await settled<unknown>(call);
      expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'refused', permanent: false });
      expect(String(error)).toContain('OOM');
    }
    await expect(fixture().admin.get('s')).resolves.toBe('3');
    await expect(fixture().admin.keys('*')).resolves.toEqual(['s']);
  });

  it('releases, counts down and deletes', async () => {
    const client = fixture().open();
    await client.connected();
    const { locks } = client;
    await fixture().admin.mset({ s: 0, c: 2 });
    await fill();
    await locks.getSemaphore('s').release(2);
    await expect(locks.getSemaphore('s').releaseIfExists()).resolves.toBe(true);
    await expect(fixture().admin.get('s')).resolves.toBe('3');
    await locks.getCountDownLatch('c').countDown();
    await expect(fixture().admin.get('c')).resolves.toBe('1');
    await locks.getCountDownLatch('c').countDown();
    await expect(locks.getSemaphore('s').delete()).resolves.toBe(true);
    await until(async () => (await fixture().admin.keys('*')).length === 0, 1000, 'nothing is left');
  });

  it('undoes an acquire whose reply was lost', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    await fixture().admin.set('s', 1);
    const cut = proxy.cutAfter(mentions('eval', '{s}'));
    proxy.acceptThenClose();
    const attempt = await settled(() => client.locks.getSemaphore('s').tryAcquire());
    await cut;
    expect(attempt.error).toMatchObject({ outcome: 'unknown' });
    await expect(fixture().admin.get('s')).resolves.toBe('0');
    await fill();
    proxy.heal();
    await until(async () => (await fixture().admin.get('s')) === '1', RECONNECT + 2 * DEADLINE, 'it is given back');
  });
});
