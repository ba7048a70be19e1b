import { mentions } from '../servers/proxy/fault-proxy.js';
import { until } from '../kit/until.js';
import { settled } from './observe.js';
import { RECONNECT, useServerFixture } from './server-fixture.js';

/** What each renewal grants, ms: long enough for a new connection. */
const LEASE = 6000;

describe('F1: the reply to an extension from which on a hold is renewed is lost', () => {
  const fixture = useServerFixture();

  it.each([
    ['after it was executed', 'cutAfter'],
    ['because the request was', 'cutBefore'],
  ] as const)('%s: the watchdog renews the hold all the same', async (_, cut) => {
    const { client, proxy } = await fixture().openBehindProxy();
    const hold = fixture().history.note(await client.locks.acquire('f1:renew', { lease: '60s' }));
    const cutting = proxy[cut](mentions('eval', 'f1:renew'));
    const { error } = await settled(() => hold.extend({ renew: true, lease: LEASE }));
    expect(error).toMatchObject({ outcome: 'unknown', lockName: 'f1:renew' });
    await cutting;
    await until(() => hold.state === 'held', RECONNECT + LEASE, 'the hold is renewed');
    expect(hold.signal.aborted).toBe(false);
    const left = await fixture().admin.pttl('f1:renew');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(LEASE);
    await expect(hold.release()).resolves.toBe('released');
  });
});
