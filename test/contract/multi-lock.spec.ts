import {
  LockAbortedError,
  LockConflictError,
  LockLostError,
  LockOptionsError,
  LockOwnershipError,
  LockTimeoutError,
} from '../../lib/standalone.js';
import type { Lock, LockService } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';
import { track } from '../kit/time.js';

const NAMES = ['a', 'b', 'c'] as const;

/** Rows ML of the behaviour catalogue, with members on one server. ML-10 and ML-12 are about the group form. */
onEveryBackend((world) => {
  const open = async (): Promise<LockService> => (await world.open()).locks;

  /** The hold counts of all owners of each name. */
  const counts = async (): Promise<readonly (readonly number[])[]> =>
    Promise.all(NAMES.map(async (name) => Object.values((await world.probe.state(name)).owners)));

  describe('A multi-lock', () => {
    it('ML-01 is held by its acquirer, each member by an owner of its own, until it is released', async () => {
      const locks = await open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getMultiLock(...NAMES);
      const hold = await a.run(() => lock.acquire({ lease: '10s' }));
      await expect(a.run(() => lock.isHeldByCurrentScope())).resolves.toBe(true);
      await expect(b.run(() => lock.isHeldByCurrentScope())).resolves.toBe(false);
      for (const { name, owner } of hold.members) {
        await expect(world.probe.state(name)).resolves.toMatchObject({ owners: { [owner]: 1 } });
      }
      await a.run(() => lock.release());
      await expect(a.run(() => lock.isHeldByCurrentScope())).resolves.toBe(false);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ML-02 locks every member for all others', async () => {
      const locks = await open();
      await locks.getMultiLock('a', 'b').acquire();
      await expect(locks.getLock('a').isLocked()).resolves.toBe(true);
      await expect(locks.getLock('b').isLocked()).resolves.toBe(true);
      await expect(locks.tryAcquire('b')).resolves.toBeNull();
    });

    it('ML-03 makes another multi-lock of the same names wait until its release', async () => {
      const locks = await open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      await a.run(() => locks.getMultiLock(...NAMES).acquire());
      const second = locks.getMultiLock(...NAMES);
      const waiting = b.run(() => second.acquire());
      const progress = track(waiting);
      await world.time.pass(150);
      expect(progress.settled).toBe(false);
      await a.run(() => locks.getMultiLock(...NAMES).release());
      await world.time.finish(waiting, 1000);
      await b.run(() => second.release());
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ML-05 acquires nothing if one member is not available', async () => {
      const locks = await open();
      const held = await locks.acquire('b');
      // Acquired members are released after the answer, and before any other request of this client.
      const isGivenBack = async (): Promise<boolean> => (await counts()).flat().length === 1;
      await expect(locks.getMultiLock(...NAMES).tryAcquire()).resolves.toBeNull();
      await expect(locks.getLock('a').isLocked()).resolves.toBe(false);
      await world.time.until(isGivenBack, 1000);
      await expect(locks.getMultiLock(...NAMES).acquire({ wait: 0 })).rejects.toThrow(LockConflictError);
      await expect(locks.getMultiLock(...NAMES).withLock({ wait: 0 }, () => 'ran')).rejects.toThrow(LockConflictError);
      await world.time.until(isGivenBack, 1000);
      await expect(counts()).resolves.toEqual([[], [1], []]);
      await expect(held.release()).resolves.toBe('released');
    });

    it('ML-06 needs at least one lock, no lock twice, and only locks', async () => {
      const locks = await open();
      expect(() => locks.getMultiLock()).toThrow(LockOptionsError);
      expect(() => locks.getMultiLock(locks.getLock('a'), locks.getLock('a'))).toThrow(
        '"a" is in the multi-lock twice',
      );
      expect(() => locks.getMultiLock('a', locks.getSpinLock('a'))).toThrow('"a" is in the multi-lock twice');
      expect(() => locks.getMultiLock(42 as unknown as Lock)).toThrow('made of names and locks, not of 42');
      expect(() => locks.getMultiLock('')).toThrow('is empty');
      expect(locks.getMultiLock('b', 'a', 'b').name).toBe('a, b');
      expect(locks.getMultiLock('c', locks.getMultiLock('b', 'a')).name).toBe('a, b, c');
    });

    it('ML-07 gives every member the lease, from when the last was taken', async () => {
      const locks = await open();
      const other = await locks.acquire('c');
      const waiting = locks.getMultiLock(...NAMES).acquire({ lease: '1m' });
      await world.time.passForClients(100);
      const released = world.time.now();
      await other.release();
      const hold = await world.time.finish(waiting, 1000);
      for (const name of NAMES) {
        const { ttl } = await world.probe.state(name);
        // The server and this process each round to milliseconds.
        expect(ttl).toBeGreaterThanOrEqual(60_000 - (world.time.now() - released) - 2);
        expect(ttl).toBeLessThanOrEqual(60_000);
      }
      // The client counts its time by itself, and a busy machine makes that differ a little.
      expect(hold.waited).toBeGreaterThanOrEqual(50);
      await hold.release();
    });

    it('ML-07 may have a lease shorter than the wait: the first members are renewed meanwhile', async () => {
      const locks = await open();
      const other = await locks.acquire('c');
      const waiting = locks.getMultiLock(...NAMES).acquire({ lease: 1000, wait: '10s' });
      await world.time.pass(1200);
      await expect(counts()).resolves.toEqual([[1], [1], [1]]);
      await other.release();
      const hold = await world.time.finish(waiting, 1000);
      expect(() => hold.assertHeld()).not.toThrow();
      await world.time.until(async () => (await world.probe.names()).length === 0, 1000 + world.time.slack);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
    });

    it('ML-08 attempts once with a wait of 0, and is renewed by the watchdog without a lease', async () => {
      const locks = (await world.open({ renewedLease: 3000 })).locks;
      const hold = await locks.getMultiLock('a', 'b').tryAcquire({ wait: 0 });
      const before = await world.probe.commands();
      await expect(locks.getMultiLock('a', 'b').tryAcquire({ wait: 0 })).resolves.toBeNull();
      await expect(world.probe.commands()).resolves.toBe(before + 1);
      await world.renewed('a', 'b');
      hold?.assertHeld();
      await expect(hold?.release()).resolves.toBe('released');
      await expect(locks.getMultiLock('a').tryAcquire({ lease: 0 })).rejects.toThrow(LockOptionsError);
    });

    it('ML-09 is made of plain, spin, fair and non-reentrant locks together', async () => {
      const locks = await open();
      const kinds = (): Lock[] => [
        locks.getLock('a'),
        locks.getSpinLock('b'),
        locks.getFairLock('c'),
        locks.getNonReentrantLock('d'),
      ];
      const lock = locks.getMultiLock(...kinds());
      const hold = await lock.acquire();
      await expect(locks.getMultiLock(...kinds()).tryAcquire()).resolves.toBeNull();
      for (const member of kinds()) await expect(member.tryAcquire()).resolves.toBeNull();
      await expect(hold.release()).resolves.toBe('released');
      const spins = locks.getMultiLock(locks.getSpinLock('a'), locks.getSpinLock('b'));
      const [first, second] = [new Owner(locks), new Owner(locks)];
      await first.run(() => spins.acquire());
      const waiting = second.run(() => spins.acquire());
      await world.time.pass(20);
      await first.run(() => spins.release());
      await expect((await world.time.finish(waiting, 1000)).release()).resolves.toBe('released');
    });

    it('ML-11 is re-entered inside the callback it runs, as a whole and by its members', async () => {
      const locks = await open();
      const lock = locks.getMultiLock(...NAMES);
      await lock.withLock(async (hold) => {
        const inner = await lock.withLock({ wait: 0 }, async () => {
          await expect(lock.holdCount()).resolves.toBe(2);
          return locks.withLock('b', { wait: 0 }, async ({ owner }) => ({ owner, counts: await counts() }));
        });
        expect(inner).toEqual({ owner: hold.members[1]?.owner, counts: [[2], [3], [2]] });
      });
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ML-15 reports its state like a single lock', async () => {
      const locks = await open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const lock = locks.getMultiLock('a', 'b');
      await expect(lock.isLocked()).resolves.toBe(false);
      await expect(lock.remainingLease()).resolves.toBe(-2);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await a.run(() => locks.acquire('a', { lease: '10s' }));
      await expect(lock.isLocked()).resolves.toBe(false);
      await expect(a.run(() => lock.isHeldByCurrentScope())).resolves.toBe(false);
      await expect(lock.remainingLease()).resolves.toBe(-2);
      await a.run(() => lock.acquire({ lease: '1m' }));
      await expect(lock.isLocked()).resolves.toBe(true);
      await expect(b.run(() => lock.isLocked())).resolves.toBe(true);
      await expect(a.run(() => lock.holdCount())).resolves.toBe(1);
      await expect(b.run(() => lock.holdCount())).resolves.toBe(0);
      expect(await lock.remainingLease()).toBeLessThanOrEqual(60_000);
      expect(await lock.remainingLease()).toBeGreaterThan(50_000);
      await expect(b.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(lock.forceRelease()).resolves.toBe(true);
      await expect(lock.forceRelease()).resolves.toBe(false);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ML-15 has the earliest end of its members, or none if no member has one', async () => {
      const locks = await open();
      await world.probe.put('a', 'peer:1', 10_000);
      await world.probe.put('b', 'peer:1', 60_000);
      expect(await locks.getMultiLock('a', 'b').remainingLease()).toBeGreaterThan(0);
      expect(await locks.getMultiLock('a', 'b').remainingLease()).toBeLessThanOrEqual(10_000);
    });

    it('ML-17 lets 8 clients in, 10 rounds each, in any order of members', async () => {
      const clients = await Promise.all(Array.from({ length: 8 }, () => world.open({ wait: Infinity })));
      const counter = new UnsafeCounter(world);
      const rounds = clients.map(({ locks }, index) => {
        const order = index % 2 === 0 ? NAMES : NAMES.toReversed();
        return crowd(1, 10, () =>
          locks.getMultiLock(...order.map((name) => locks.getLock(name))).withLock(() => counter.add(1)),
        );
      });
      await world.time.finish(Promise.all(rounds), 20_000);
      expect(counter).toMatchObject({ count: 80, mostInside: 1 });
    });
  });

  describe('One wait for all members', () => {
    it('covers them together', async () => {
      const locks = await open();
      const first = await locks.acquire('a');
      await locks.acquire('b');
      const start = world.time.now();
      // A timer counts from the start of its turn, which has to be after the start of the test.
      await world.time.pass(1);
      const waiting = locks.getMultiLock('a', 'b').acquire({ wait: 400 });
      const outcome = waiting.catch((error: unknown) => error);
      await world.time.pass(250);
      await first.release();
      expect(await world.time.finish(outcome, 150 + world.time.slack)).toBeInstanceOf(LockTimeoutError);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(398);
      // The first is released after the caller was told.
      await world.time.until(async () => (await counts())[0]?.length === 0, world.time.slack);
      await expect(counts()).resolves.toEqual([[], [1], []]);
    });

    it('continues if the first member is lost meanwhile, and acquires it again', async () => {
      const { locks } = await world.open({ renewedLease: 900 });
      const other = await locks.acquire('c');
      const waiting = locks.getMultiLock(...NAMES).acquire();
      await world.time.until(async () => (await counts())[1]?.length === 1, 1000);
      await world.probe.remove('a');
      await world.time.pass(500);
      await other.release();
      const hold = await world.time.finish(waiting, 1000);
      hold.assertHeld();
      await expect(counts()).resolves.toEqual([[1], [1], [1]]);
      await expect(hold.release()).resolves.toBe('released');
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('ends with the signal, and leaves nothing behind', async () => {
      const locks = await open();
      const other = await locks.acquire('c');
      const giveUp = new AbortController();
      const waiting = locks.getMultiLock(...NAMES).acquire({ signal: giveUp.signal });
      const outcome = waiting.catch((error: unknown) => error);
      await world.time.until(async () => (await counts())[1]?.length === 1, 1000);
      giveUp.abort();
      expect(await world.time.finish(outcome, 1000)).toBeInstanceOf(LockAbortedError);
      await expect(counts()).resolves.toEqual([[], [], [1]]);
      await other.release();
      await world.time.until(async () => (await world.probe.channels()).length === 0, 1000);
    });
  });
});
