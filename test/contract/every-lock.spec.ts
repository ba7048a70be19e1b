import { LockOwnershipError, type Lock, type LockService } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { crowd, UnsafeCounter } from '../kit/unsafe-counter.js';
import { Owner } from './owner.js';

type LockOf = (locks: LockService, name?: string) => Lock;

interface Kind {
  readonly lockOf: LockOf;
  /** A lock that it excludes. Default: itself. */
  readonly rivalOf?: LockOf;
  readonly isReentrant?: false;
}

const KINDS: readonly (readonly [string, Kind])[] = [
  ['A reentrant lock', { lockOf: (locks, name = 'n') => locks.getLock(name) }],
  ['A fair lock', { lockOf: (locks, name = 'n') => locks.getFairLock(name) }],
  ['A fenced lock', { lockOf: (locks, name = 'n') => locks.getFencedLock(name) }],
  ['A spin lock', { lockOf: (locks, name = 'n') => locks.getSpinLock(name) }],
  ['A non-reentrant lock', { lockOf: (locks, name = 'n') => locks.getNonReentrantLock(name), isReentrant: false }],
  [
    'A fair non-reentrant lock',
    { lockOf: (locks, name = 'n') => locks.getNonReentrantLock(name, { fair: true }), isReentrant: false },
  ],
  [
    'A read lock',
    {
      lockOf: (locks, name = 'n') => locks.getReadWriteLock(name).readLock(),
      rivalOf: (locks, name = 'n') => locks.getReadWriteLock(name).writeLock(),
    },
  ],
  ['A write lock', { lockOf: (locks, name = 'n') => locks.getReadWriteLock(name).writeLock() }],
  ['A group lock', { lockOf: (locks, name = 'n') => locks.getGroupLock(name, ['v1', 'v2']) }],
  ['A multi-lock', { lockOf: (locks, name = 'n') => locks.getMultiLock(`m${name}`, name) }],
  [
    'A RedLock of locks',
    {
      lockOf: (locks, name = 'n') =>
        locks.getMajorityLock(...[`m${name}`, name, `o${name}`].map((each) => locks.getLock(each))),
    },
  ],
];

/** The longest pause of a spin lock, and an attempt, ms. */
const PAUSE_MS = 150;

/** What every kind promises: rows of the behaviour catalogue that it has for one kind after the other. */
onEveryBackend((world) => {
  const { slack } = world.time;

  /** All keys with this in their names, but those of fencing tokens, which stay. */
  const keys = async (part = ''): Promise<string[]> =>
    (await world.probe.names())
      .filter((name) => !name.startsWith('redisson_lock_token:') && name.includes(part))
      .toSorted();

  const open = async ({ lockOf, rivalOf = lockOf }: Kind, name = 'n') => {
    const { locks } = await world.open({ renewedLease: 30_000 });
    const [a, b] = [new Owner(locks), new Owner(locks)];
    return { a, b, lock: lockOf(locks, name), again: lockOf(locks, name), rival: rivalOf(locks, name) };
  };

  describe.each(KINDS)('%s', (_, kind) => {
    const { lockOf, rivalOf = lockOf, isReentrant = true } = kind;

    it('RL-01 RL-02 RL-04 RL-19 FL-08 RW-01 SP-01 is locked for all and held by its owner, through any handle', async () => {
      const { a, b, lock, again } = await open(kind);
      const ids = new Set<string>();
      for (const [holder, other] of [
        [a, b],
        [b, a],
      ] as const) {
        const seen = async (): Promise<boolean[]> => [
          await holder.run(() => lock.isLocked()),
          await other.run(() => again.isLocked()),
          await holder.run(() => again.isHeldByCurrentScope()),
          await other.run(() => again.isHeldByCurrentScope()),
        ];
        expect(await seen()).toEqual([false, false, false, false]);
        ids.add((await holder.run(() => lock.acquire())).owner);
        expect(await seen()).toEqual([true, true, true, false]);
        await holder.run(() => again.release());
        expect(await seen()).toEqual([false, false, false, false]);
      }
      expect(ids.size).toBe(2);
      await expect(keys()).resolves.toEqual([]);
    });

    if (isReentrant) {
      it('RL-03 RL-05 FL-08 FL-10 RW-02 SP-01 ML-11 counts the holds of its owner, and is free with the last', async () => {
        const { a, b, lock, rival } = await open(kind);
        const counts: number[] = [];
        const count = async (): Promise<void> => void counts.push(await a.run(() => lock.holdCount()));
        await count();
        for (const step of ['acquire', 'release', 'tryAcquire', 'acquire', 'release'] as const) {
          await a.run(() => lock[step]());
          await count();
        }
        await expect(b.run(() => lock.holdCount())).resolves.toBe(0);
        await expect(b.run(() => rival.tryAcquire())).resolves.toBeNull();
        await a.run(() => lock.release());
        await count();
        expect(counts).toEqual([0, 1, 0, 1, 2, 1, 0]);
        await expect(b.run(() => rival.tryAcquire())).resolves.not.toBeNull();
      });
    }

    it('RL-06 RL-07 FL-09 RW-04 SP-02 refuses a release by an owner that does not hold it, and the hold stays', async () => {
      const { a, b, lock, again } = await open(kind);
      await expect(lock.release()).rejects.toThrow(LockOwnershipError);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      const hold = await b.run(() => again.acquire());
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(b.run(() => lock.holdCount())).resolves.toBe(1);
      hold.assertHeld();
      await expect(hold.release()).resolves.toBe('released');
      await expect(b.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
    });

    it('RL-08 FL-05 RW-04 SP-01 ML-12 is taken by a forced release, through any handle, which tells whether it was held', async () => {
      const { a, lock, again } = await open(kind);
      await a.run(() => lock.acquire());
      await expect(again.forceRelease()).resolves.toBe(true);
      await expect(Promise.all([lock, again].map((handle) => handle.isLocked()))).resolves.toEqual([false, false]);
      await expect(again.forceRelease()).resolves.toBe(false);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(keys()).resolves.not.toContain('n');
    });

    it('RL-10 ML-15 tells how much of the lease remains', async () => {
      const { a, lock } = await open(kind);
      for (const [options, lease] of [
        [{ lease: '1h' }, 3_600_000],
        [{}, 30_000],
      ] as const) {
        await expect(lock.remainingLease()).resolves.toBe(-2);
        const start = world.time.now();
        const hold = await a.run(() => lock.acquire(options));
        const left = await lock.remainingLease();
        // The server and this process each round to milliseconds.
        expect(left).toBeGreaterThanOrEqual(lease - (world.time.now() - start) - 2);
        expect(left).toBeLessThanOrEqual(lease);
        await hold.release();
      }
    });

    if (rivalOf === lockOf) {
      it('FL-11 NR-01 SP-08 ML-17 lets many owners of many clients in one at a time', async () => {
        const clients = await Promise.all(Array.from({ length: 8 }, () => world.open({ wait: Infinity })));
        const counter = new UnsafeCounter(world);
        const crowds = clients.map(({ locks }) => crowd(3, 5, () => lockOf(locks).withLock(() => counter.add(1))));
        await world.time.finish(Promise.all(crowds), 60_000);
        expect(counter).toMatchObject({ count: 120, mostInside: 1 });
        await expect(keys()).resolves.toEqual([]);
      });
    }
  });

  describe('Every kind of lock', () => {
    /** Runs `work` for each kind, with a name of its own: beside a server, where time is real, for all at once. */
    const forEach = async (work: (kind: Kind, name: string) => Promise<unknown>, kinds = KINDS): Promise<void> => {
      const works = kinds.map(([what, kind], index) => async () => {
        await work(kind, `n${index}x`).catch((cause: unknown) => {
          throw new Error(`${what}: ${String(cause)}`, { cause });
        });
      });
      if (world.name === 'memory') for (const each of works) await each();
      else await Promise.all(works.map((each) => each()));
    };

    it('RL-13 RW-12 keeps the longer lease when its owner re-enters with a shorter one', async () => {
      const reentrant = KINDS.filter(([, { isReentrant }]) => isReentrant !== false);
      await forEach(async (kind, name) => {
        const { a, b, lock, rival } = await open(kind, name);
        await a.run(() => lock.acquire());
        const inner = await a.run(() => lock.acquire({ lease: 500 }));
        expect(await lock.remainingLease()).toBeGreaterThan(20_000);
        await world.time.pass(600);
        await expect(b.run(() => rival.tryAcquire())).resolves.toBeNull();
        await expect(a.run(() => lock.holdCount())).resolves.toBe(2);
        await inner.release();
        expect(await lock.remainingLease()).toBeGreaterThan(20_000);
        await expect(a.run(() => lock.release())).resolves.toBeUndefined();
      }, reentrant);
    });

    it('RL-09 RL-23 FL-06 RW-14 SP-04 ML-14 ML-16 goes to a waiter when its lease ends, and the late release is refused', async () => {
      // Beside a server, locks of all kinds, and the three of a RedLock, are acquired within the lease.
      const lease = world.name === 'memory' ? 500 : 2000;
      await forEach(async (kind, name) => {
        const { a, b, lock, rival } = await open(kind, name);
        const before = world.time.now();
        await a.run(() => lock.acquire({ lease }));
        await expect(b.run(() => rival.tryAcquire())).resolves.toBeNull();
        const hold = await world.time.finish(
          b.run(() => rival.acquire({ wait: Infinity })),
          lease + 20 + slack,
        );
        // Redis keeps time in whole milliseconds.
        expect(world.time.now() - before).toBeGreaterThanOrEqual(lease - 1);
        await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
        hold.assertHeld();
        await expect(hold.release()).resolves.toBe('released');
        await expect(keys(name)).resolves.toEqual([]);
      });
    });

    it('RL-11 FL-04 SP-03 SP-07 is not acquired within the limit although its holder died, and nothing stays behind', async () => {
      await forEach(async ({ lockOf, rivalOf = lockOf }, name) => {
        const [gone, client] = [await world.open({ renewedLease: 30_000 }), await world.open()];
        await lockOf(gone.locks, name).acquire();
        await gone.close();
        const held = await keys(name);
        const start = world.time.now();
        const waiting = rivalOf(client.locks, name).tryAcquire({ wait: 600 });
        await expect(world.time.finish(waiting, 600 + 50 + slack)).resolves.toBeNull();
        expect(world.time.now() - start).toBeGreaterThanOrEqual(598);
        await world.time.until(async () => (await keys(name)).join() === held.join(), 1000);
      });
    });

    it('FL-07 RW-15 RW-21 SP-05 ML-13 ML-16 WD-12 is renewed while its client lives, and free one time-out after that', async () => {
      await forEach(async ({ lockOf, rivalOf = lockOf }, name) => {
        const [gone, client] = [await world.open({ renewedLease: 3000 }), await world.open()];
        const { signal } = await lockOf(gone.locks, name).acquire();
        const rival = rivalOf(client.locks, name);
        await world.renewed(name);
        expect(signal.aborted).toBe(false);
        await expect(rival.tryAcquire()).resolves.toBeNull();
        await gone.close();
        const hold = await world.time.finish(rival.acquire({ wait: Infinity }), 3000 + PAUSE_MS + slack);
        await expect(hold.release()).resolves.toBe('released');
      });
    });
  });
});
