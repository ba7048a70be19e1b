import { setTimeout as sleep } from 'node:timers/promises';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { watchKey } from './observe.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../kit/until.js';
import { useServerFixture } from './server-fixture.js';

const HOLDS = 20;
const LEASE = 60_000;
/** Renewals are due every third of the lease. */
const PERIOD = LEASE / 3;
const CUTS = 4;

describe('F3: the reply of a renewal is lost', () => {
  const fixture = useServerFixture();

  it.each([
    ['after it was executed', 'cutAfter'],
    ['because the request was', 'cutBefore'],
  ] as const)('%s: no hold is lost, however often', async (_, cut) => {
    const clock = new ManualClock();
    const { client, proxy } = await fixture().openBehindProxy({ scheduler: clock, renewedLease: LEASE });
    const names = Array.from({ length: HOLDS }, (_each, index) => `f3:${index}`);
    const holds = await Promise.all(names.map((name) => client.locks.acquire(name)));
    holds.forEach((hold) => fixture().history.note(hold));
    const seen = watchKey(fixture().admin, 'f3:0');
    const failures = () => client.events.filter(({ type }) => type === 'renewal-failed').length;
    let renewed = 0;
    client.locks.onEvent('renewed', () => (renewed += 1));
    const inFlight = Reflect.get(client.runtime.watchdog, 'renewing') as ReadonlyMap<unknown, unknown>;
    /** The clock does not move while a renewal is in flight, so that none is late. */
    const renewedWithin = async (ms: number, times: number): Promise<void> => {
      const isOver = (): boolean => renewed >= times * HOLDS;
      for (const end = clock.now() + ms; clock.now() < end && !isOver();) {
        await clock.advance(100);
        await until(() => inFlight.size === 0, 10_000, 'the renewals in flight have ended');
      }
      expect(isOver()).toBe(true);
    };
    /** Lets the clock go on slowly, by which the connection is made again. */
    const whileTimePasses = async (over: Promise<unknown>): Promise<void> => {
      const progress = { isOver: false };
      const ending = over.then(() => void (progress.isOver = true));
      while (!progress.isOver) {
        await clock.advance(20);
        await sleep(10);
      }
      await ending;
    };
    // The first when it is due, and the next ones as soon as the connection is back.
    let cuts = proxy[cut](mentions('eval', 'f3:0'));
    await clock.advance(PERIOD);
    for (let more = 1; more < CUTS; more++) {
      await whileTimePasses(cuts);
      cuts = proxy[cut](mentions('eval', 'f3:0'));
    }
    await whileTimePasses(cuts);
    await whileTimePasses(until(() => failures() >= CUTS, 10_000, 'all failures are known'));
    // While it pauses, a renewal that waits for it would wait for a clock that stands still.
    await whileTimePasses(client.connected());
    // Tried again long before the next one is due.
    await renewedWithin(PERIOD / 2, 1);
    // Renewals go on without a fault.
    await renewedWithin(PERIOD, 2);
    const { least, endless } = await seen();
    expect(least).toBeGreaterThan(0);
    expect(endless).toBe(false);
    expect(holds.filter(({ signal }) => signal.aborted)).toHaveLength(0);
    for (const hold of holds) hold.assertHeld();
    const released = await Promise.all(holds.map((hold) => hold.release()));
    expect(new Set(released)).toEqual(new Set(['released']));
  });
});
