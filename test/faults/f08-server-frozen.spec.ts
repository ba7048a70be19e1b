import { setTimeout as sleep } from 'node:timers/promises';
import { LockLostError, LockUnavailableError } from '../../lib/errors.js';
import type { Hold } from '../../lib/holds/hold.js';
import { expectWithin, settled } from './observe.js';
import { ServedTime } from '../kit/served-time.js';
import { Time } from '../kit/time.js';
import { until } from '../kit/until.js';
import { DEADLINE, LEASE, RECONNECT, useServerFixture } from './server-fixture.js';

/** The instant at which the signal of a hold aborts, on the clock of `performance`. */
const abortionOf = (hold: Hold): Promise<number> =>
  new Promise((resolve) => hold.signal.addEventListener('abort', () => resolve(performance.now())));

describe('F8: the server is frozen', () => {
  const fixture = useServerFixture();

  afterEach(() => {
    if (fixture().server.isRunning) fixture().server.resume();
  });

  /**
   * Freezes the server just after the renewal of `name`. Resolves with the earliest instant at which its lease may end.
   */
  const freezeAfterRenewal = async (name: string): Promise<number> => {
    let asked = 0;
    let left = 0;
    await until(
      async () => {
        asked = performance.now();
        left = await fixture().admin.pttl(name);
        // The server freezes in the turn of the reply, long before the next renewal, so nothing moves the lease in
        // between.
        if (left > LEASE * 0.8) fixture().server.pause();
        return left > LEASE * 0.8;
      },
      LEASE,
      `${name} is renewed`,
    );
    return asked + left;
  };

  it.each([200, 700])('for %i ms keeps holds of the watchdog', async (outage) => {
    const holder = fixture().open();
    const waiter = fixture().open();
    const name = `f8:short:${outage}`;
    const hold = fixture().history.note(await holder.locks.acquire(name));
    const waiting = waiter.locks.acquire(name, { wait: '20s' });
    await fixture().listening(name);
    await freezeAfterRenewal(name);
    await sleep(outage);
    fixture().server.resume();
    await Time.real().renewed(async () => [await fixture().admin.pttl(name)]);
    hold.assertHeld();
    expect(hold.signal.aborted).toBe(false);
    await expect(hold.release()).resolves.toBe('released');
    const next = fixture().history.note(await waiting);
    await expect(next.release()).resolves.toBe('released');
  });

  it('longer than the lease aborts signals before the leases can have ended, and grants nothing before', async () => {
    const holder = fixture().open();
    const waiter = fixture().open();
    const watched = fixture().history.note(await holder.locks.acquire('f8:watched'));
    const leased = fixture().history.note(await holder.locks.acquire('f8:leased', { lease: '1s' }));
    const watchedOver = abortionOf(watched);
    const leasedOver = abortionOf(leased);
    const next = ['f8:watched', 'f8:leased'].map(async (name) =>
      fixture().history.note(await waiter.locks.acquire(name, { wait: '30s' })),
    );
    await fixture().listening('f8:watched');
    await fixture().listening('f8:leased');
    const time = new ServedTime();
    const asked = performance.now();
    const leasedEnd = asked + (await fixture().admin.pttl('f8:leased'));
    const watchedEnd = await freezeAfterRenewal('f8:watched');

    expect((await leasedOver) - time.longestStall).toBeLessThan(leasedEnd);
    expect(() => leased.assertHeld()).toThrow(LockLostError);
    expect((await watchedOver) - time.longestStall).toBeLessThan(watchedEnd);
    time.stop();
    expect(() => watched.assertHeld()).toThrow(LockLostError);
    expect(watched.signal.reason).toBeInstanceOf(LockLostError);

    await sleep(2 * LEASE);
    fixture().server.resume();
    const grants = await settled(() => Promise.all(next));
    expectWithin(grants, RECONNECT + 2 * DEADLINE + 500);
    await expect(watched.release()).resolves.toBe('expired');
    await expect(leased.release()).resolves.toBe('expired');
    const released = await Promise.all((grants.value ?? []).map((hold) => hold.release()));
    expect(released).toEqual(['released', 'released']);
  });

  it('lets calls settle in time, without a later effect', async () => {
    const client = fixture().open();
    const mine = fixture().history.note(await client.locks.acquire('f8:mine', { lease: '60s' }));
    const lost = fixture().history.note(await client.locks.acquire('f8:lost'));
    fixture().server.pause();

    const one = await settled(() => client.locks.tryAcquire('f8:ghost', { lease: '60s' }));
    expect(one.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(one, DEADLINE + 100);
    const waited = await settled(() => client.locks.acquire('f8:ghost', { wait: 300, lease: '60s' }));
    expect(waited.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(waited, 300 + DEADLINE + 100);
    const release = await settled(() => mine.release());
    expect(release.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(release, 2 * DEADLINE + 50);
    const read = await settled(() => client.locks.getLock('f8:mine').isLocked());
    expect(read.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(read, DEADLINE + 100);
    await until(() => lost.signal.aborted, LEASE, 'the hold is given up');
    // After this the last renewal before the freeze may not be executed any more either.
    await sleep(DEADLINE);
    fixture().server.resume();
    const gone = async () => (await fixture().admin.exists('f8:ghost', 'f8:mine', 'f8:lost')) === 0;
    // The lost lock ends by itself, because renewals that waited in the socket grant it no other lease.
    await until(gone, RECONNECT + 2 * DEADLINE, 'nothing stays');
    await expect(lost.release()).resolves.toBe('expired');
  });
});
