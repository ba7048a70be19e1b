import type { ReceivedGrant } from '../../lib/backend/kinds/lock/granting-lock.js';
import type { LockBackend } from '../../lib/backend/lock-backend.js';
import { clientChannel, fairChannel } from '../../lib/keys/redisson-keys.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { until } from '../kit/until.js';

const LEASE = 30_000;
const FIRST_LEASE = 3000;
const SLOT = 5000;
/** The ids of clients of this library in other processes, and of a Redisson client. */
const [FIRST = '', SECOND = '', THIRD = ''] = [1, 2, 3].map((n) => `7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c1${n}`);
const JAVA = '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11';
const HOLDER = { name: 'n', owner: `${THIRD}:9`, lease: LEASE };

onEveryBackend((world) => {
  const open = async (): Promise<LockBackend> => (await world.open()).runtime.backend;

  /** A backend with a held lock. */
  const held = async (): Promise<LockBackend> => {
    const backend = await open();
    await backend.fairLock.acquire(HOLDER);
    return backend;
  };

  /** Makes a client listen, as one that waits does. */
  const listen = async ({ pubSub, fairLock }: LockBackend, clientId: string): Promise<ReceivedGrant[]> => {
    const grants: ReceivedGrant[] = [];
    const channel = fairLock.grantChannel('n', clientId);
    await pubSub.subscribe(channel?.name ?? '', (message) => {
      const grant = message === undefined ? undefined : channel?.read(message);
      if (grant) grants.push(grant);
    });
    return grants;
  };

  const queue = ({ fairLock }: LockBackend, owner: string, lease = LEASE, firstLease?: number) =>
    fairLock.queue({ name: 'n', owner, lease, slot: SLOT, firstLease: firstLease ?? fairLock.firstLease('n', lease) });

  const release = ({ fairLock }: LockBackend, owner = HOLDER.owner) => fairLock.release({ ...HOLDER, owner });

  const state = async () => await world.probe.state('n');
  const places = async () => (await world.probe.queue('n')).map(({ owner }) => owner);

  describe('A release of a fair lock', () => {
    it('gives it to the head of the queue, for its first lease, and tells its client', async () => {
      const backend = await held();
      const [first, second] = [await listen(backend, FIRST), await listen(backend, SECOND)];
      for (const owner of [`${FIRST}:1`, `${SECOND}:1`, `${FIRST}:2`]) await queue(backend, owner);
      await expect(release(backend)).resolves.toEqual({ outcome: 'passed-on' });
      expect((await state()).owners).toEqual({ [`${FIRST}:1`]: 1 });
      expect((await state()).ttl).toBeGreaterThan(FIRST_LEASE / 2);
      expect((await state()).ttl).toBeLessThanOrEqual(FIRST_LEASE);
      expect(await places()).toEqual([`${SECOND}:1`, `${FIRST}:2`]);
      await until(() => first.length > 0, 1000, 'it is told');
      expect(first).toMatchObject([{ owner: `${FIRST}:1`, lease: FIRST_LEASE }]);
      expect(first[0]?.sent.elapsed).toBeLessThan(1000);
      await expect(release(backend, `${FIRST}:1`)).resolves.toEqual({ outcome: 'passed-on' });
      await until(() => second.length > 0, 1000, 'the next is told');
      await release(backend, `${SECOND}:1`);
      await until(() => first.length > 1, 1000, 'the last is told');
      await expect(release(backend, `${FIRST}:2`)).resolves.toEqual({ outcome: 'released' });
      expect(await world.probe.names()).toEqual([]);
    });

    it.each([
      ['5 ms, which is too short to be divided', 5, 0],
      ['300 ms', 300, 304],
      ['an hour', 3_600_000, FIRST_LEASE],
    ])(
      'gives the lease that the head wants, in units of 8 ms, but a first one at most: %s',
      async (_, lease, firstLease) => {
        const backend = await held();
        await listen(backend, FIRST);
        expect(backend.fairLock.firstLease('n', lease)).toBe(firstLease);
        await queue(backend, `${FIRST}:1`, lease);
        await expect(release(backend)).resolves.toEqual({ outcome: firstLease > 0 ? 'passed-on' : 'released' });
        expect((await state()).ttl).toBeLessThanOrEqual(firstLease);
      },
    );

    it.each([
      ['the next one', []],
      ['the next one of ours, behind waiters of Redisson,', [`${JAVA}:1`, `${JAVA}:2`]],
    ])('D75: tells %s when the lock ends unless its new owner is alive', async (_, java) => {
      const backend = await held();
      await listen(backend, FIRST);
      const told: unknown[] = [];
      await backend.pubSub.subscribe(clientChannel('n', SECOND), (message) => void told.push(message));
      await queue(backend, `${FIRST}:1`);
      for (const owner of java) await queue(backend, owner);
      await queue(backend, `${SECOND}:1`);
      await expect(release(backend)).resolves.toEqual({ outcome: 'passed-on' });
      await until(() => told.length > 0, 1000, 'it is told');
      expect(told).toEqual([String(FIRST_LEASE)]);
    });

    describe.each([
      ['on the channel of its client', undefined, clientChannel('n', SECOND)],
      ['on a channel of its own, since it cannot be given the lock', 0, fairChannel('n', `${SECOND}:1`)],
    ])('D41: tells the next one of ours %s', (_, firstLease, channel) => {
      const next = async (backend: LockBackend, lease = LEASE): Promise<unknown[]> => {
        const told: unknown[] = [];
        await queue(backend, `${FIRST}:1`, lease);
        await queue(backend, `${SECOND}:1`, LEASE, firstLease);
        await backend.pubSub.subscribe(channel, (message) => void told.push(message));
        return told;
      };

      it('of the lease of a head that has acquired it by a request', async () => {
        const backend = await held();
        const told = await next(backend);
        await release(backend);
        await expect(queue(backend, `${FIRST}:1`, 700)).resolves.toMatchObject({ outcome: 'acquired' });
        await until(() => told.length > 0, 1000, 'it is told');
        expect(told).toEqual(['700']);
      });

      it('of what is left of the lease when the one before it, which knew of it, has left', async () => {
        const backend = await held();
        const told = await next(backend);
        await backend.fairLock.leave({ name: 'n', owners: [`${FIRST}:1`], lease: LEASE, slot: SLOT });
        await until(() => told.length > 0, 1000, 'it is told');
        expect(Number(told[0])).toBeGreaterThan(LEASE / 2);
        expect(Number(told[0])).toBeLessThanOrEqual(LEASE);
      });

      it('of the first lease of a head that it was given to', async () => {
        const backend = await held();
        await listen(backend, FIRST);
        const told = await next(backend);
        await expect(release(backend)).resolves.toEqual({ outcome: 'passed-on' });
        await until(() => told.length > 0, 1000, 'it is told');
        expect(told).toEqual([String(FIRST_LEASE)]);
      });
    });

    it.each<[string, (backend: LockBackend) => Promise<unknown>]>([
      ['asks', (backend) => queue(backend, `${SECOND}:1`)],
      ['keeps its place', (backend) => backend.fairLock.keep({ name: 'n', owners: [`${SECOND}:1`], slot: SLOT })],
    ])('D75: tells the head that the lock is free whenever another %s', async (_, act) => {
      const backend = await held();
      const told: unknown[] = [];
      await queue(backend, `${JAVA}:1`, LEASE, 0);
      await queue(backend, `${SECOND}:1`);
      const isTold = (message?: string): void => void (message === '0' && told.push(message));
      await backend.pubSub.subscribe(fairChannel('n', `${JAVA}:1`), isTold);
      await act(backend);
      expect(told).toEqual([]);
      await world.probe.remove('n');
      for (let times = 1; times <= 2; times++) {
        await act(backend);
        await until(() => told.length === times, 1000, 'it is told');
      }
    });

    it.each([
      ['of Redisson', `${JAVA}:1`, FIRST_LEASE],
      ['of a client that does not listen', `${SECOND}:1`, FIRST_LEASE],
      ['that cannot be given the lock', `${FIRST}:1`, 0],
    ])('only tells a head %s', async (_, head, firstLease) => {
      const backend = await held();
      await listen(backend, FIRST);
      const told: unknown[] = [];
      await backend.pubSub.subscribe(fairChannel('n', head), (message) => void told.push(message));
      await queue(backend, head, LEASE, firstLease);
      await queue(backend, `${FIRST}:2`);
      await expect(release(backend)).resolves.toEqual({ outcome: 'released' });
      await until(() => told.includes('0'), 1000, 'it is told');
      expect(await world.probe.names()).not.toContain('n');
      expect(await places()).toEqual([head, `${FIRST}:2`]);
      await expect(queue(backend, head)).resolves.toMatchObject({ outcome: 'acquired' });
    });

    it('that is repeated, or of another owner, gives it to no other waiter', async () => {
      const backend = await held();
      await listen(backend, FIRST);
      for (const owner of [`${FIRST}:1`, `${FIRST}:2`]) await queue(backend, owner);
      await release(backend);
      for (const owner of [HOLDER.owner, `${FIRST}:2`]) {
        await expect(release(backend, owner)).resolves.toEqual({ outcome: 'not-held' });
      }
      expect((await state()).owners).toEqual({ [`${FIRST}:1`]: 1 });
      expect(await places()).toEqual([`${FIRST}:2`]);
    });

    it('gives it to no waiter before its turn, also if heartbeats have renewed the places', async () => {
      const backend = await held();
      await listen(backend, FIRST);
      for (const owner of [`${FIRST}:1`, `${JAVA}:1`, `${FIRST}:2`]) await queue(backend, owner);
      await backend.fairLock.keep({ name: 'n', owners: [`${FIRST}:1`, `${FIRST}:2`], slot: SLOT });
      await expect(release(backend)).resolves.toEqual({ outcome: 'passed-on' });
      await expect(release(backend, `${FIRST}:1`)).resolves.toEqual({ outcome: 'released' });
      await expect(queue(backend, `${FIRST}:2`)).resolves.toMatchObject({ outcome: 'waiting', head: `${JAVA}:1` });
      await expect(queue(backend, `${JAVA}:1`)).resolves.toMatchObject({ outcome: 'acquired' });
      await expect(release(backend, `${JAVA}:1`)).resolves.toEqual({ outcome: 'passed-on' });
      expect((await state()).owners).toEqual({ [`${FIRST}:2`]: 1 });
    });
  });

  describe('An owner that a fair lock was given to', () => {
    it('learns that by asking, again and again, and is counted once', async () => {
      const backend = await held();
      await listen(backend, FIRST);
      for (const owner of [`${FIRST}:1`, `${FIRST}:2`]) await queue(backend, owner);
      await release(backend);
      for (let asked = 0; asked < 3; asked++) {
        await expect(queue(backend, `${FIRST}:1`)).resolves.toMatchObject({ outcome: 'acquired' });
      }
      expect((await state()).owners).toEqual({ [`${FIRST}:1`]: 1 });
      expect((await state()).ttl).toBeGreaterThan(FIRST_LEASE);
      expect(await places()).toEqual([`${FIRST}:2`]);
    });

    it('does not shorten its extended lease by asking', async () => {
      const backend = await held();
      await listen(backend, FIRST);
      await queue(backend, `${FIRST}:1`, 1000);
      await release(backend);
      await backend.fairLock.hold({ name: 'n', owner: `${FIRST}:1`, count: 1, lease: LEASE });
      await expect(queue(backend, `${FIRST}:1`, 1000)).resolves.toMatchObject({ outcome: 'acquired' });
      expect((await state()).ttl).toBeGreaterThan(1000);
    });

    it('passes it on if it leaves, however often it reports that', async () => {
      const backend = await held();
      await listen(backend, FIRST);
      for (const owner of [`${FIRST}:1`, `${FIRST}:2`, `${FIRST}:3`]) await queue(backend, owner);
      await release(backend);
      for (let reported = 0; reported < 2; reported++) {
        await backend.fairLock.leave({ name: 'n', owners: [`${FIRST}:1`], lease: LEASE, slot: SLOT });
      }
      expect((await state()).owners).toEqual({ [`${FIRST}:2`]: 1 });
      expect(await places()).toEqual([`${FIRST}:3`]);
      await backend.fairLock.leave({ name: 'n', owners: [`${FIRST}:3`, `${FIRST}:2`], lease: LEASE, slot: SLOT });
      expect(await world.probe.names()).toEqual([]);
    });

    it('loses it at the end of its first lease if it died, so that the next acquires it', async () => {
      const backend = await held();
      await listen(backend, FIRST);
      await queue(backend, `${FIRST}:1`, 200);
      await queue(backend, `${FIRST}:2`);
      await release(backend);
      await expect(queue(backend, `${FIRST}:2`)).resolves.toMatchObject({ outcome: 'waiting', holder: `${FIRST}:1` });
      await world.time.until(async () => (await state()).ttl === -2, 200 + world.time.slack);
      await expect(queue(backend, `${FIRST}:2`)).resolves.toMatchObject({ outcome: 'acquired' });
    });
  });

  describe('Waiters for fair locks in several processes', () => {
    it('FL-03 are given the lock in the order of their arrival, with few requests', async () => {
      const clients = [await world.open(), await world.open(), await world.open()];
      const [first] = clients;
      const hold = await first?.locks.getFairLock('n').acquire();
      const order: number[] = [];
      const waiting: Promise<unknown>[] = [];
      for (let n = 0; n < 12; n++) {
        const lock = clients[n % clients.length]?.locks.getFairLock('n');
        waiting.push(lock?.withLock({ wait: '20s' }, async () => void order.push(n)) ?? Promise.reject(new Error()));
        await world.time.until(async () => (await world.probe.queueLength('n')) === n + 1, 3000);
      }
      // Each process has asked again after it has subscribed.
      await world.time.pass(50);
      const before = await world.probe.commands();
      await hold?.release();
      await world.time.finish(Promise.all(waiting), 3000);
      expect(order).toEqual(Array.from({ length: 12 }, (_, n) => n));
      // A release for each of them, and the whole lease; and one release before.
      expect((await world.probe.commands()) - before).toBeLessThan(32);
      expect(await world.probe.names()).toEqual([]);
    });

    it('are told, and ask, in a process that is to hand over nothing', async () => {
      const [first, second] = [await world.open(), await world.open({ handover: false })];
      const hold = await first.locks.getFairLock('n').acquire();
      const waiting = second.locks.getFairLock('n').acquire({ wait: '20s' });
      await world.time.until(async () => (await world.probe.queueLength('n')) === 1, 3000);
      await world.time.pass(50);
      const before = await world.probe.commands();
      await hold.release();
      const got = await world.time.finish(waiting, 1000);
      expect((await state()).ttl).toBeGreaterThan(FIRST_LEASE);
      expect((await world.probe.commands()) - before).toBeGreaterThanOrEqual(2);
      await got.release();
    });

    it('D74: have equal shares, whether they are given the lock or told, as in a former version', async () => {
      const sections = await Promise.all(
        ([false, false, undefined, undefined] as const).map(async (handover) => {
          const { locks } = await world.open(handover === false ? { handover } : {});
          return { lock: locks.getFairLock('n'), count: 0 };
        }),
      );
      const total = 40;
      const work = async (client: (typeof sections)[number]): Promise<void> => {
        const counted = (): number => sections.reduce((sum, { count }) => sum + count, 0);
        while (counted() < total)
          await client.lock.withLock({ wait: Infinity }, async () => {
            client.count += 1;
            await world.time.pause(2);
          });
      };
      await world.time.finish(Promise.all(sections.map(work)), 60_000);
      const counts = sections.map(({ count }) => count);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
    });

    it('keep a lock that was given to them beyond its first lease', async () => {
      const [first, second] = [await world.open(), await world.open()];
      const hold = await first.locks.getFairLock('n').acquire();
      const waiting = second.locks.getFairLock('n').acquire({ wait: '20s' });
      await world.time.until(async () => (await world.probe.queueLength('n')) === 1, 3000);
      await world.time.pass(50);
      await hold.release();
      const got = await world.time.finish(waiting, 1000);
      await world.time.until(async () => (await state()).ttl > FIRST_LEASE, 1000);
      await world.time.pass(FIRST_LEASE + 200);
      got.assertHeld();
      expect((await state()).owners).toEqual({ [got.owner]: 1 });
      await got.release();
    });
  });
});
