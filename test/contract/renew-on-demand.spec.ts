import type { Hold } from '../../lib/index.js';
import { LockLostError, LockOptionsError } from '../../lib/standalone.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { HOLD_KINDS } from './hold-kinds.js';

/** What each renewal grants, ms: long enough for a busy machine to renew it in time. */
const LEASE = 3000;

/** A hold with a lease that the watchdog renews from some moment on: `hold.extend({ renew: true })`. */
onEveryBackend((world) => {
  const renewed = (hold: Hold): Promise<void> => world.time.renewed(async () => [hold.remaining]);

  describe.each(Object.entries(HOLD_KINDS))('The hold of %s', (_, acquire) => {
    it('is renewed from now on, until its release', async () => {
      const { locks, events } = await world.open({ renewedLease: LEASE });
      const hold = await acquire(locks, { lease: 60_000 });
      await hold.extend({ renew: true });
      expect(hold.remaining).toBeLessThanOrEqual(LEASE);
      await renewed(hold);
      expect(hold.state).toBe('held');
      await expect(hold.release()).resolves.toBe('released');
      expect(events.filter(({ type }) => type === 'lost')).toEqual([]);
    });
  });

  describe('A hold that is renewed from now on', () => {
    it('has the whole lease of a renewal on the server at once, and goes on with it', async () => {
      const { locks } = await world.open({ renewedLease: LEASE });
      const hold = await locks.acquire('n', { lease: 2000 });
      await hold.extend({ renew: true, lease: '1m' });
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(50_000);
      await hold.extend({ renew: true });
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(50_000);
      await hold.release();
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('is a member of several, all of which are renewed', async () => {
      const { locks } = await world.open({ renewedLease: LEASE });
      const hold = await locks.getMultiLock('a', 'b').acquire({ lease: '1m' });
      await hold.extend({ renew: true });
      await world.renewed('a', 'b');
      await world.probe.remove('a');
      await expect(hold.extend({ renew: true })).rejects.toThrow(LockLostError);
      await hold.release();
    });

    it('is lost, if the server no longer has it, and acquires nothing', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n', { lease: '10s' });
      await world.probe.put('n', 'somebody:1', 5000);
      await expect(hold.extend({ renew: true })).rejects.toThrow(LockLostError);
      expect(hold.state).toBe('lost');
      const { owners, ttl } = await world.probe.state('n');
      expect(owners).toEqual({ 'somebody:1': 1 });
      expect(ttl).toBeLessThanOrEqual(5000);
    });
  });

  describe('Refused before anything is sent', () => {
    const missing = 'extend and a missing renew: true contradict each other: a lease is given by itself';
    it.each<[given: unknown, message: string]>([
      [{}, missing],
      [{ lease: '10s' }, missing],
      [{ maxHold: '1m' }, missing],
      [{ lease: '10s', renew: false }, missing],
      [{ renew: false }, 'renew: false and a missing lease contradict each other'],
      [{ lease: '10s', maxHold: '1m' }, 'maxHold and lease contradict each other'],
      [{ renew: '10s' }, 'renew must be true or false, not "10s"'],
      [{ renew: true, lease: 49 }, 'lease must be an integer number of milliseconds from 50 '],
      [{ renew: true, lease: '10s', maxHold: '5s' }, 'maxHold must be an integer number of milliseconds from 10000 '],
      [{ renew: true, maxHold: 1000 }, 'maxHold must not be 1000 ms: each renewal of the watchdog grants 30000 ms'],
      [{ renew: true, wait: 0 }, 'unknown option "wait" of extend'],
      [[], 'options of extend must be an object'],
    ])('%p', async (given, message) => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n', { lease: '1m' });
      const several = await locks.getMultiLock('a', 'b').acquire({ lease: '1m' });
      const before = await world.probe.commands();
      for (const { extend } of [hold, several].map((each) => ({ extend: () => each.extend(given as never) }))) {
        await expect(extend()).rejects.toThrow(LockOptionsError);
        await expect(extend()).rejects.toThrow(message);
      }
      await expect(world.probe.commands()).resolves.toBe(before);
    });

    it.each([false, true])('the lock of an owner that the application has chosen; fenced: %p', async (fenced) => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n', { owner: 'user:7', lease: '1m', fenced });
      const before = await world.probe.commands();
      await expect(hold.extend({ renew: true })).rejects.toThrow(LockOptionsError);
      await expect(hold.extend({ renew: true })).rejects.toThrow(
        'owner and extend with renew: true contradict each other',
      );
      await expect(world.probe.commands()).resolves.toBe(before);
      await hold.extend('2m');
    });

    it('a hold that was released', async () => {
      const { locks } = await world.open();
      const hold = await locks.acquire('n', { lease: '1m' });
      await hold.release();
      const before = await world.probe.commands();
      await expect(hold.extend({ renew: true })).rejects.toThrow(LockLostError);
      await expect(world.probe.commands()).resolves.toBe(before);
    });
  });
});

/** A limit between which and {@link LEASE} a round of the watchdog comes. */
const MAX_HOLD = 4000;

inWorld(new MemoryWorld(), (world) => {
  describe('The terms of a hold that is renewed from now on', () => {
    /** Resolves with the ms from now until the hold is lost. */
    const lostAfter = (hold: Hold): Promise<number> => world.time.until(() => hold.state === 'lost', 60_000);

    it('are those of an acquisition: each renewal grants the lease', async () => {
      const { locks } = await world.open({ renewedLease: 20_000 });
      const lock = locks.getLock('n');
      const hold = await locks.acquire('n', { lease: 1000 });
      await hold.extend({ renew: true, lease: LEASE });
      for (let round = 0; round < 5; round += 1) {
        await world.time.pass(LEASE / 3);
        expect(await lock.remainingLease()).toBeLessThanOrEqual(LEASE);
        expect(hold.state).toBe('held');
      }
      await expect(hold.release()).resolves.toBe('released');
    });

    it('limit it by maxHold from now on', async () => {
      const { locks, events } = await world.open({ renewedLease: LEASE });
      const hold = await locks.acquire('n', { lease: 2000 });
      await world.time.pass(1000);
      await hold.extend({ renew: true, maxHold: MAX_HOLD });
      // A hold ends a little sooner for its owner than on the server.
      expect(await lostAfter(hold)).toBeGreaterThan(MAX_HOLD - 200);
      expect(String(hold.signal.reason)).toContain('longer than maxHold');
      expect(events).toContainEqual(expect.objectContaining({ type: 'max-hold-reached', maxHold: MAX_HOLD }));
    });

    it.each([undefined, Infinity])(
      'give way to the limit of the module, unless maxHold is given: %p',
      async (maxHold) => {
        const { locks } = await world.open({ renewedLease: LEASE, maxHold: MAX_HOLD });
        const hold = await locks.acquire('n', { lease: 2000 });
        await hold.extend({ renew: true, maxHold });
        await world.time.pass(MAX_HOLD + 100);
        expect(hold.isHeld).toBe(maxHold === Infinity);
      },
    );

    it('never end it sooner than its own lease would', async () => {
      const { locks } = await world.open({ renewedLease: LEASE });
      const hold = await locks.acquire('n', { lease: 10_000 });
      await hold.extend({ renew: true, maxHold: MAX_HOLD });
      expect(hold.remaining).toBeLessThanOrEqual(LEASE);
      expect(await lostAfter(hold)).toBeGreaterThan(9500);
    });

    it('are those of before for a hold that is renewed already, which lasts no shorter', async () => {
      const { locks } = await world.open({ renewedLease: LEASE });
      const endless = await locks.acquire('endless');
      await endless.extend({ renew: true, lease: '20s', maxHold: '20s' });
      expect(endless.remaining).toBeLessThanOrEqual(LEASE);
      const limited = await locks.acquire('limited', { maxHold: MAX_HOLD });
      await limited.extend({ renew: true, maxHold: 2 * MAX_HOLD });
      expect(await lostAfter(limited)).toBeGreaterThan(2 * MAX_HOLD - 200);
      await world.time.pass(20_000);
      expect(endless.state).toBe('held');
    });

    it('leave the other holds of its owner as they are', async () => {
      const { locks } = await world.open({ renewedLease: 20_000 });
      const lock = locks.getLock('n');
      const outer = await locks.acquire('n', { lease: 10_000 });
      const inner = await outer.run(() => locks.acquire('n', { lease: 2000 }));
      await inner.extend({ renew: true, lease: LEASE });
      // The outer one needs more.
      expect(await lock.remainingLease()).toBeGreaterThan(9000);
      await world.time.pass(12_000);
      expect([outer.isHeld, inner.isHeld]).toEqual([true, true]);
      const again = await inner.run(() => locks.acquire('n', { lease: 5000 }));
      await expect(inner.release()).resolves.toBe('still-held');
      expect(await lostAfter(again)).toBeLessThanOrEqual(5000);
    });
  });
});
