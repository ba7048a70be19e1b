import { mentions } from '../servers/proxy/fault-proxy.js';
import { watchKey } from './observe.js';
import { Time } from '../kit/time.js';
import { until } from '../kit/until.js';
import { LEASE, useServerFixture } from './server-fixture.js';

const HOLDS = 20;
/** Renewals are due every third of the lease. */
const PERIODS = 4;

describe('F3: the reply of a renewal is lost', () => {
  const fixture = useServerFixture();

  it.each([
    ['after it was executed', 'cutAfter'],
    ['because the request was', 'cutBefore'],
  ] as const)('%s: no hold is lost, however often', async (_, cut) => {
    const { client, proxy } = await fixture().openBehindProxy();
    const names = Array.from({ length: HOLDS }, (_each, index) => `f3:${index}`);
    const holds = await Promise.all(names.map((name) => client.locks.acquire(name)));
    holds.forEach((hold) => fixture().history.note(hold));
    const seen = watchKey(fixture().admin, 'f3:0');
    for (let period = 0; period < PERIODS; period++) await proxy[cut](mentions('evalsha', 'f3:0'));
    const failures = () => client.events.filter(({ type }) => type === 'renewal-failed').length;
    await until(() => failures() >= PERIODS, LEASE, 'all failures are known');
    // Renewals go on without a fault.
    await Time.real().renewed(() => Promise.all(names.map((name) => fixture().admin.pttl(name))));
    const { least, endless } = await seen();
    expect(least).toBeGreaterThan(0);
    expect(endless).toBe(false);
    expect(holds.filter(({ signal }) => signal.aborted)).toHaveLength(0);
    for (const hold of holds) hold.assertHeld();
    const released = await Promise.all(holds.map((hold) => hold.release()));
    expect(new Set(released)).toEqual(new Set(['released']));
  });
});
