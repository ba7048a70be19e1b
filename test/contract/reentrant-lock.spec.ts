import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockOwnershipError } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

/** Rows RL of the behaviour catalogue about calls of one owner or two. Crowds and processes have specs of their own. */
onEveryBackend((world) => {
  describe('A reentrant lock', () => {
    it('RL-01 is reported as locked to all callers while it is held', async () => {
      const { locks } = await world.open();
      const [a, b, c] = [new Owner(locks), new Owner(locks), new Owner(locks)];
      const [lock, second] = [locks.getLock('n'), locks.getLock('n')];
      await expect(lock.isLocked()).resolves.toBe(false);
      await a.run(() => lock.acquire());
      await expect(a.run(() => lock.isLocked())).resolves.toBe(true);
      await expect(b.run(() => second.isLocked())).resolves.toBe(true);
      await a.run(() => lock.release());
      await expect(c.run(() => second.isLocked())).resolves.toBe(false);
    });

    it('RL-02 is held by its owner and by no other', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const [lock, second] = [locks.getLock('n'), locks.getLock('n')];
      await expect(a.run(() => lock.isHeldByCurrentScope())).resolves.toBe(false);
      await a.run(() => lock.acquire());
      await expect(a.run(() => lock.isHeldByCurrentScope())).resolves.toBe(true);
      await expect(b.run(() => second.isHeldByCurrentScope())).resolves.toBe(false);
      await a.run(() => lock.release());
      await expect(a.run(() => lock.isHeldByCurrentScope())).resolves.toBe(false);
      await expect(b.run(() => second.isHeldByCurrentScope())).resolves.toBe(false);
    });

    it('RL-03 counts the holds of its owner', async () => {
      const { locks } = await world.open();
      const a = new Owner(locks);
      const lock = locks.getLock('n');
      const counts: number[] = [];
      const count = async (): Promise<void> => void counts.push(await a.run(() => lock.holdCount()));
      await count();
      for (const step of ['acquire', 'release', 'acquire', 'acquire', 'release', 'release'] as const) {
        await a.run(() => lock[step]());
        await count();
      }
      expect(counts).toEqual([0, 1, 0, 1, 2, 1, 0]);
    });

    it('RL-04 is acquired and released repeatedly through one handle', async () => {
      const { locks } = await world.open();
      const a = new Owner(locks);
      const lock = locks.getLock('n');
      for (let cycle = 0; cycle < 2; cycle++) {
        await a.run(() => lock.acquire());
        await a.run(() => lock.release());
      }
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('RL-05 frees the lock only with the last release', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const [lock, second] = [locks.getLock('n'), locks.getLock('n')];
      await expect(a.run(() => lock.tryAcquire())).resolves.not.toBeNull();
      await expect(a.run(() => lock.tryAcquire())).resolves.not.toBeNull();
      await a.run(() => lock.release());
      await expect(b.run(() => second.tryAcquire())).resolves.toBeNull();
      await a.run(() => lock.release());
      await expect(b.run(() => second.tryAcquire())).resolves.not.toBeNull();
    });

    it('RL-06 refuses a release by an owner that does not hold it, and the hold stays', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      const [lock, second] = [locks.getLock('n'), locks.getLock('n')];
      const hold = await b.run(() => second.acquire());
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { [hold.owner]: 1 } });
      await b.run(() => second.release());
      await expect(lock.isLocked()).resolves.toBe(false);
    });

    it('RL-07 refuses a release while it is free', async () => {
      const { locks } = await world.open();
      const a = new Owner(locks);
      const lock = locks.getLock('n');
      await expect(lock.release()).rejects.toThrow(LockOwnershipError);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await a.run(() => lock.acquire());
      await a.run(() => lock.release());
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
    });

    it('RL-08 is taken from its holder by a forced release, which reports whether it was held', async () => {
      const { locks } = await world.open();
      const a = new Owner(locks);
      const lock = locks.getLock('n');
      await a.run(() => lock.acquire());
      await expect(lock.forceRelease()).resolves.toBe(true);
      await expect(lock.isLocked()).resolves.toBe(false);
      await expect(locks.getLock('n').isLocked()).resolves.toBe(false);
      await expect(lock.forceRelease()).resolves.toBe(false);
      await expect(a.run(() => lock.release())).rejects.toThrow(LockOwnershipError);
    });

    it('RL-10 tells how much of the lease remains', async () => {
      const { locks } = await world.open({ renewedLease: '30s' });
      const lock = locks.getLock('n');
      const remaining = async (): Promise<number> => lock.remainingLease();
      let start = world.time.now();
      // The server and this process each round to milliseconds.
      const passed = (): number => world.time.now() - start + 2;
      const leased = await lock.acquire({ lease: '1h' });
      expect(await remaining()).toBeGreaterThanOrEqual(3_600_000 - passed());
      await expect(remaining()).resolves.toBeLessThanOrEqual(3_600_000);
      await leased.release();
      await expect(remaining()).resolves.toBe(-2);
      start = world.time.now();
      await lock.acquire();
      expect(await remaining()).toBeGreaterThanOrEqual(30_000 - passed());
      await expect(remaining()).resolves.toBeLessThanOrEqual(30_000);
    });

    it('RL-12 answers one attempt at once, without a subscription; other names are free', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      await a.run(() => locks.acquire('n1'));
      const before = await world.probe.commands();
      await expect(b.run(() => locks.tryAcquire('n1'))).resolves.toBeNull();
      await expect(world.probe.commands()).resolves.toBe(before + 1);
      await expect(world.probe.subscribers(lockChannel('n1'))).resolves.toBe(0);
      await expect(a.run(() => locks.tryAcquire('n2'))).resolves.not.toBeNull();
    });

    it('RL-13 keeps the longer of the two leases when its owner re-enters with a shorter one', async () => {
      const { locks } = await world.open({ renewedLease: 30_000 });
      const a = new Owner(locks);
      const lock = locks.getLock('n');
      await a.run(() => lock.acquire());
      const inner = await a.run(() => lock.acquire({ lease: 500 }));
      await expect(lock.remainingLease()).resolves.toBeGreaterThan(20_000);
      await world.time.pass(600);
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { [inner.owner]: 2 } });
      await inner.release();
      await expect(lock.remainingLease()).resolves.toBeGreaterThan(20_000);
      await expect(a.run(() => lock.release())).resolves.toBeUndefined();
    });

    it('RL-19 is held by the asking owner, through any handle', async () => {
      const { locks } = await world.open();
      const [first, second] = [locks.getLock('n'), locks.getLock('n')];
      const owners = [new Owner(locks), new Owner(locks)];
      const heldBy = (): Promise<boolean[]> =>
        Promise.all(owners.map((owner) => owner.run(() => second.isHeldByCurrentScope())));
      const wireIds: string[] = [];
      for (const [index, owner] of owners.entries()) {
        const hold = await owner.run(() => first.tryAcquire());
        wireIds.push(hold?.owner ?? 'none');
        await expect(heldBy()).resolves.toEqual([index === 0, index === 1]);
        await owner.run(() => second.release());
        await expect(heldBy()).resolves.toEqual([false, false]);
      }
      expect(new Set(wireIds).size).toBe(2);
    });

    it('RL-20 belongs to the hold, not to the call stack that acquired it', async () => {
      const { locks } = await world.open();
      const lock = locks.getLock('n');
      const bus = new EventEmitter();
      const elsewhere = once(bus, 'hold').then(([hold]) => hold.release());
      bus.emit('hold', await lock.acquire());
      await expect(elsewhere).resolves.toBe('released');

      const hold = await lock.acquire();
      await expect(new Owner(locks).run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(lock.release()).rejects.toThrow(LockOwnershipError);
      await expect(hold.run(() => lock.isHeldByCurrentScope())).resolves.toBe(true);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('RL-20 has one owner across await, timers and the callbacks of events', async () => {
      const { locks } = await world.open();
      const lock = locks.getLock('n');
      await locks.runInScope(async () => {
        await lock.acquire();
        await sleep(1);
        await expect(lock.holdCount()).resolves.toBe(1);
        const counts = await new Promise((resolve) => {
          const bus = new EventEmitter().on('asked', () => resolve(Promise.all([lock.acquire(), lock.holdCount()])));
          setTimeout(() => bus.emit('asked'), 1);
        });
        expect(counts).toHaveLength(2);
        await expect(lock.holdCount()).resolves.toBe(2);
        await lock.release();
        await lock.release();
      });
      await expect(lock.isLocked()).resolves.toBe(false);
    });
  });
});
