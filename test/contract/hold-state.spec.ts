import { LockLostError, type Hold, type Lock, type LockService, type MultiHold } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';

const stateOf = ({ isHeld, isReleased, state }: Hold) => ({ isHeld, isReleased, state });
const HELD = { isHeld: true, isReleased: false, state: 'held' };
const LOST = { isHeld: false, isReleased: false, state: 'lost' };
const RELEASED = { isHeld: false, isReleased: true, state: 'released' };

/** How a lock is acquired, by the kind of its hold. */
const KINDS: Readonly<Record<string, (locks: LockService) => Lock>> = {
  'a plain lock': (locks) => locks.getLock('a'),
  'a fair lock': (locks) => locks.getFairLock('a'),
  'a fenced lock': (locks) => locks.getFencedLock('a'),
  'a read lock': (locks) => locks.getReadWriteLock('a').readLock(),
  'a group lock': (locks) => locks.getGroupLock('a', ['1', '2']),
  'a multi-lock': (locks) => locks.getMultiLock('a', 'b'),
  'a RedLock': (locks) => locks.getMajorityLock(...['a', 'b', 'c'].map((name) => locks.getLock(name))),
};

/** What a hold tells by the local clock, without a command. */
onEveryBackend((world) => {
  const free = async (): Promise<void> => expect(world.probe.names()).resolves.toEqual([]);

  describe.each(Object.entries(KINDS))('The hold of %s', (_, lockOf) => {
    it('is held until its release, which is no loss', async () => {
      const { locks } = await world.open();
      const hold = await lockOf(locks).acquire({ lease: 60_000 });
      const before = await world.probe.commands();
      expect(stateOf(hold)).toEqual(HELD);
      expect(hold.remaining).toBeGreaterThan(50_000);
      expect(hold.remaining).toBeLessThanOrEqual(60_000);
      await expect(world.probe.commands()).resolves.toBe(before);
      const releasing = hold.release();
      expect(stateOf(hold)).toEqual(RELEASED);
      expect(hold.remaining).toBe(0);
      await releasing;
      expect(hold.signal.aborted).toBe(false);
      await expect(lockOf(locks).isLocked()).resolves.toBe(false);
    });

    it('is not held after its lease, and was not released', async () => {
      const { locks } = await world.open();
      const hold = await lockOf(locks).acquire({ lease: 400 });
      await world.time.until(() => !hold.isHeld, 400 + world.time.slack);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      expect(stateOf(hold)).toEqual(LOST);
      expect(hold.remaining).toBe(0);
      await expect(hold.release()).resolves.toBe('expired');
      expect(stateOf(hold)).toEqual(RELEASED);
    });

    it('abandoned, stays locked on the server until the lease ends, and is not renewed', async () => {
      const { locks, events } = await world.open({ renewedLease: 600 });
      const lock = lockOf(locks);
      const hold = await lock.acquire();
      const before = await world.probe.commands();
      hold.abandon();
      expect(stateOf(hold)).toEqual(RELEASED);
      expect(hold.remaining).toBe(0);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      await expect(hold.release()).resolves.toBe('still-held');
      await expect(world.probe.commands()).resolves.toBe(before);
      await expect(lock.isLocked()).resolves.toBe(true);
      await world.time.until(async () => !(await lock.isLocked()), 600 + world.time.slack);
      expect(hold.signal.aborted).toBe(false);
      expect(events).toEqual([]);
    });
  });

  describe('remaining', () => {
    it('rises with each renewal and is never infinite', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const hold = await locks.acquire('a');
      expect(hold.remaining).toBeLessThanOrEqual(3000);
      await world.time.renewed(async () => [hold.remaining]);
      expect(stateOf(hold)).toEqual(HELD);
      expect(hold.remaining).toBeGreaterThan(0);
      expect(hold.remaining).toBeLessThanOrEqual(3000);
      await hold.release();
    });

    it('of a multi-lock is that of the member that ends first', async () => {
      const { locks } = await world.open();
      const hold: MultiHold = await locks.getMultiLock('a', 'b').acquire({ lease: 5000 });
      await hold.members[0]?.extend('1m');
      expect(hold.remaining).toBeLessThanOrEqual(5000);
      await hold.members[1]?.release();
      expect(stateOf(hold)).toEqual(LOST);
      await hold.release();
      await free();
    });

    it('of a RedLock is that of the weakest of the majority that ends last', async () => {
      const { locks } = await world.open();
      const lock = locks.getMajorityLock(...['a', 'b', 'c'].map((name) => locks.getLock(name)));
      const hold = await lock.acquire({ lease: 5000 });
      await hold.members[0]?.release();
      expect(stateOf(hold)).toEqual(HELD);
      await hold.members[1]?.extend('1m');
      expect(hold.remaining).toBeLessThanOrEqual(5000);
      await hold.members[2]?.extend('1m');
      expect(hold.remaining).toBeGreaterThan(50_000);
      await hold.members[2]?.release();
      expect(stateOf(hold)).toEqual(LOST);
      await hold.release();
      await free();
    });
  });

  describe('A lost hold', () => {
    it('is still the one that the lock releases, which reports the loss', async () => {
      const { locks } = await world.open({ renewedLease: 300 });
      const lock = locks.getLock('a');
      const hold = await lock.acquire();
      await hold.run(async () => {
        await world.probe.remove('a');
        await world.time.until(() => !hold.isHeld, 300 + world.time.slack);
        await expect(lock.release()).rejects.toThrow('is no longer held by');
      });
      expect(hold.isReleased).toBe(true);
    });
  });

  describe('An abandoned hold', () => {
    it('leaves the other holds of its owner, whose release frees the lock', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const owner = new Owner(locks);
      const outer = await owner.run(() => locks.acquire('a'));
      const inner = await owner.run(() => locks.acquire('a'));
      inner.abandon();
      await world.renewed('a');
      expect(stateOf(inner)).toEqual(RELEASED);
      expect(stateOf(outer)).toEqual(HELD);
      await expect(outer.release()).resolves.toBe('released');
      await free();
    });

    it('is not released at the end of its block or callback', async () => {
      const { locks } = await world.open({ renewedLease: 600 });
      await locks.withLock('a', (hold) => hold.abandon());
      {
        await using hold = await locks.acquire('b');
        hold.abandon();
      }
      await expect(world.probe.names()).resolves.toEqual(expect.arrayContaining(['a', 'b']));
      await world.time.until(async () => (await world.probe.names()).length === 0, 600 + world.time.slack);
    });

    it('has no effect after a release', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('a');
      const releasing = hold.release();
      hold.abandon();
      await expect(releasing).resolves.toBe('released');
      await free();
    });

    it('lets its scope acquire the lock again, when it has expired', async () => {
      const { locks } = await world.open({ renewedLease: 600 });
      await locks.runInScope(async () => {
        (await locks.acquire('a')).abandon();
        await expect(locks.tryAcquire('a')).resolves.toBeNull();
        const again = await world.time.finish(locks.acquire('a', { wait: '10s' }), 5000 + world.time.slack);
        expect(again.isHeld).toBe(true);
        await again.release();
      });
      await free();
    });
  });
});
