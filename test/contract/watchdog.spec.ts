import type { RenewOutcome } from '../../lib/backend/lock-operations.js';
import type { Watched } from '../../lib/watchdog/renewal-schedules.js';
import { Watchdog } from '../../lib/watchdog/watchdog.js';
import { Lease } from '../../lib/watchdog/lease.js';
import { LockEvents } from '../../lib/events/lock-events.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { fieldsOfHold } from '../watchdog/fields-of-hold.js';

/** Rows WD of the behaviour catalogue. Rows about failing servers and processes have specs of their own. */
onEveryBackend((world) => {
  describe('The watchdog', () => {
    it('WD-04 keeps a hold for as long as its client lives, and for one time-out after that', async () => {
      const [client, other] = [await world.open({ renewedLease: 3000 }), await world.open()];
      await client.locks.acquire('n');
      const lock = other.locks.getLock('n');
      for (let renewals = 0; renewals < 2; renewals++) await world.renewed('n');
      await expect(lock.isLocked()).resolves.toBe(true);
      await client.close();
      await expect(lock.isLocked()).resolves.toBe(true);
      await world.time.until(async () => !(await lock.isLocked()), 3000 + world.time.slack);
    });

    it('WD-05 does not renew a hold with a lease of its own', async () => {
      const { locks } = await world.open({ renewedLease: 1500 });
      await locks.acquire('n', { lease: 500 });
      await world.time.until(async () => (await world.probe.names()).length === 0, 500 + world.time.slack);
      await expect(locks.getLock('n').isLocked()).resolves.toBe(false);
    });

    it('WD-06 renews every third of the time-out', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      await locks.acquire('n');
      const end = world.time.now() + 4 * 1000;
      let lowest = Infinity;
      let seen = world.time.now();
      let stalls = 0;
      await world.time.until(async () => {
        lowest = Math.min(lowest, (await world.probe.state('n')).ttl);
        const now = world.time.now();
        stalls += Math.max(0, now - seen - 50);
        seen = now;
        return now > end;
      }, 5000);
      // A renewal is late by no more than what this process or the server stood still.
      expect(lowest).toBeGreaterThanOrEqual(0.6 * 3000 - stalls);
      expect(lowest).toBeLessThan(0.75 * 3000);
    });

    it.each([0, 1000])('WD-07 renews no acquisition that was given up in flight (wait %p)', async (wait) => {
      const { locks } = await world.open({ renewedLease: 600 });
      const giveUp = new AbortController();
      const attempt = locks.tryAcquire('n', { wait, signal: giveUp.signal });
      giveUp.abort();
      await expect(attempt).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      // The lock is released long before its lease would end.
      await world.time.until(async () => (await world.probe.names()).length === 0, world.time.slack);
      await world.time.pass(1.5 * 600);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('WD-09 does not restore a deleted key, and stops renewing it', async () => {
      const { locks } = await world.open({ renewedLease: 600 });
      const hold = await locks.acquire('n');
      await world.probe.remove('n');
      await world.time.until(() => hold.signal.aborted, 200 + world.time.slack);
      const asked = await world.probe.commands();
      await world.time.pass(3 * 200);
      await expect(world.probe.names()).resolves.toEqual([]);
      await expect(world.probe.commands()).resolves.toBe(asked);
      await expect(locks.tryAcquire('n')).resolves.not.toBeNull();
    });

    it('WD-14 sends nothing more when its client closes', async () => {
      const client = await world.open({ renewedLease: 600 });
      await Promise.all(['n1', 'n2', 'n3'].map((name) => client.locks.acquire(name)));
      await client.close();
      const asked = await world.probe.commands();
      await world.time.until(async () => (await world.probe.names()).length === 0, 600 + world.time.slack);
      await expect(world.probe.commands()).resolves.toBe(asked);
    });

    it('WD-15 serves one handle repeatedly', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const lock = locks.getLock('n');
      for (let cycle = 0; cycle < 3; cycle++) {
        const hold = await lock.acquire();
        await world.renewed('n');
        await expect(world.probe.names()).resolves.toEqual(['n']);
        await hold.release();
        await expect(world.probe.names()).resolves.toEqual([]);
      }
      // Longer than until the next renewal, if one were still to come.
      await world.time.pass(1100);
      await expect(world.probe.names()).resolves.toEqual([]);
    });
  });
});

describe('The watchdog with a slow server', () => {
  it('WD-11 never renews a hold twice at a time', async () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, () => {});
    const renewals = { running: 0, most: 0, done: 0 };
    const renew = (): Promise<RenewOutcome> => {
      const sent = new Stopwatch(scheduler);
      renewals.running += 1;
      renewals.most = Math.max(renewals.most, renewals.running);
      return new Promise((resolve) => {
        clock.schedule(100, () => {
          renewals.running -= 1;
          renewals.done += 1;
          resolve({ sent, held: [true] });
        });
      });
    };
    const watchdog = new Watchdog(scheduler, new LockEvents(), 3 * 80);
    const hold: Watched = {
      operations: { renew },
      name: 'n',
      owner: 'me:1',
      method: undefined,
      heldFor: 0,
      eventFields: fieldsOfHold('n'),
      loss: undefined,
      lease: new Lease(scheduler, new Stopwatch(scheduler), 3 * 80, { onLost: () => {} }),
      neededLease: 3 * 80,
      renewedLease: 3 * 80,
      isEnding: false,
      keptFor: Number.POSITIVE_INFINITY,
      isRenewed: true,
      isBusy: false,
      verify: async () => {},
      checkAge: () => {},
      onRenewed: () => {},
    };
    watchdog.watch(hold);
    await clock.advance(400);
    expect(renewals).toMatchObject({ most: 1, done: 2 });
  });
});
