import { LockLostError } from '../../lib/standalone.js';
import type { LockKindOptions } from '../../lib/advanced.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';

const TIMEOUT = 20_000;
/** Long enough for a busy machine to renew it in time. */
const LEASE = 3000;
/** A time-out of the watchdog and a limit between which a round of it comes in time, on a busy machine too. */
const WATCHDOG = 1800;
const MAX_HOLD = 2400;

inWorld(new MemoryWorld(), (world) => {
  describe('A lease with renew: true', () => {
    it('is what each renewal grants, instead of the watchdog timeout, until the hold is released', async () => {
      const { locks, events } = await world.open({ renewedLease: TIMEOUT });
      const lock = locks.getLock('n');
      const hold = await locks.acquire('n', { lease: LEASE, renew: true });
      for (let round = 0; round < 5; round += 1) {
        await world.time.pass(LEASE / 3);
        expect(await lock.remainingLease()).toBeLessThanOrEqual(LEASE);
        expect(hold.isHeld).toBe(true);
      }
      await expect(hold.release()).resolves.toBe('released');
      expect(events.filter(({ type }) => type === 'lost')).toEqual([]);
    });

    it('may be longer than the watchdog timeout', async () => {
      const { locks } = await world.open({ renewedLease: 1200 });
      const hold = await locks.acquire('n', { lease: '20s', renew: true });
      await world.time.pass(2000);
      expect(await locks.getLock('n').remainingLease()).toBeGreaterThan(10_000);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('is renewed in time beside holds with the timeout of the watchdog', async () => {
      const { locks } = await world.open({ renewedLease: TIMEOUT });
      const usual = await locks.acquire('usual');
      const short = await locks.acquire('short', { lease: LEASE, renew: true });
      const shorter = await locks.acquire('shorter', { lease: 2400, renew: true });
      await world.time.pass(LEASE + 500);
      for (const hold of [usual, short, shorter]) await expect(hold.release()).resolves.toBe('released');
    });

    it('is longer while another hold of the owner needs more, and short again after that', async () => {
      const { locks } = await world.open({ renewedLease: TIMEOUT });
      const lock = locks.getLock('n');
      const outer = await locks.acquire('n', { lease: LEASE, renew: true });
      const inner = await outer.run(() => locks.acquire('n'));
      expect(await lock.remainingLease()).toBeGreaterThan(10_000);
      await inner.release();
      expect(await lock.remainingLease()).toBeLessThanOrEqual(LEASE);
      await world.time.pass(LEASE + 500);
      expect(outer.isHeld).toBe(true);
      expect(await lock.remainingLease()).toBeLessThanOrEqual(LEASE);
      await expect(outer.release()).resolves.toBe('released');
    });

    it('is short again while a hold with less goes on after one with more', async () => {
      const { locks } = await world.open({ renewedLease: TIMEOUT });
      const outer = await locks.acquire('n');
      const inner = await outer.run(() => locks.acquire('n', { lease: LEASE, renew: true }));
      await expect(outer.release()).resolves.toBe('still-held');
      await world.time.pass(LEASE + 500);
      expect(inner.isHeld).toBe(true);
      expect(await locks.getLock('n').remainingLease()).toBeLessThanOrEqual(LEASE);
      await expect(inner.release()).resolves.toBe('released');
    });

    it('works with every kind of lock, and with limits', async () => {
      const { locks } = await world.open({ renewedLease: TIMEOUT });
      const lease = { lease: LEASE, renew: true } as const;
      const kinds: readonly LockKindOptions[] = [
        { fair: true },
        { fenced: true },
        { kind: 'spin' },
        { kind: 'nonReentrant' },
      ];
      const holds = [
        await locks.acquire('rw', { mode: 'read', ...lease }),
        await locks.getMultiLock('a', 'b').acquire(lease),
      ];
      for (const [at, kind] of kinds.entries()) holds.push(await locks.acquire(`n${at}`, { ...kind, ...lease }));
      const permit = locks.withLock('l', { limit: 1, ...lease }, async (hold) => {
        await world.time.pass(LEASE + 500);
        return hold.isHeld;
      });
      await expect(permit).resolves.toBe(true);
      for (const at of kinds.keys()) expect(await locks.getLock(`n${at}`).remainingLease()).toBeLessThanOrEqual(LEASE);
      for (const hold of holds) await expect(hold.release()).resolves.toBe('released');
    });
  });

  describe('maxHold of an acquisition', () => {
    it('ends its hold, with the events of the module-wide limit', async () => {
      const { locks, events } = await world.open({ renewedLease: WATCHDOG });
      const hold = await locks.acquire('n', { maxHold: MAX_HOLD });
      await world.time.until(() => hold.signal.aborted, 4000);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(String(hold.signal.reason)).toContain('longer than maxHold');
      const [reached] = events.filter(({ type }) => type === 'max-hold-reached');
      expect(reached).toMatchObject({ lockName: 'n', maxHold: MAX_HOLD });
      await world.time.until(async () => (await world.probe.state('n')).type === 'none', 1500);
    });

    it.each([20_000, Infinity])('goes before the limit of the module (%p)', async (maxHold) => {
      const { locks } = await world.open({ renewedLease: 3000, maxHold: 3000 });
      const hold = await locks.acquire('n', { maxHold });
      // By the limit of the module, the first lease would be the last.
      await world.renewed('n');
      await expect(hold.release()).resolves.toBe('released');
    });

    it('limits a lease that is renewed', async () => {
      const { locks } = await world.open({ renewedLease: TIMEOUT });
      const hold = await locks.acquire('n', { lease: WATCHDOG, renew: true, maxHold: MAX_HOLD });
      await world.renewed('n');
      expect(hold.isHeld).toBe(true);
      await world.time.until(() => hold.signal.aborted, 3000);
      expect(String(hold.signal.reason)).toContain('longer than maxHold');
    });

    it('holds for re-entries that give none; others count from their own acquisition', async () => {
      const { locks } = await world.open({ renewedLease: WATCHDOG });
      const outer = await locks.acquire('n', { maxHold: MAX_HOLD });
      const inner = await outer.run(() => locks.acquire('n'));
      await world.time.until(() => inner.signal.aborted, 4000);
      const other = await locks.acquire('m', { maxHold: MAX_HOLD });
      // By the first renewal a third of the time-out has passed.
      await world.renewed('m');
      const reentered = world.time.now();
      const longer = await other.run(() => locks.acquire('m', { maxHold: MAX_HOLD }));
      await world.time.until(() => longer.signal.aborted, 4000);
      // A hold ends a little sooner for its owner than on the server.
      expect(world.time.now() - reentered).toBeGreaterThan(MAX_HOLD - 200);
    });

    it('limits each member of a multi-lock', async () => {
      const { locks } = await world.open({ renewedLease: 900 });
      const hold = await locks.getMultiLock('a', 'b').acquire({ maxHold: 1800 });
      await world.time.until(() => hold.signal.aborted, 4000);
      await world.time.until(async () => (await world.probe.names()).length === 0, 1500);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    });
  });
});
