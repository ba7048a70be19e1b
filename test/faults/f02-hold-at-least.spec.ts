import type { Hold } from '../../lib/index.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { RECONNECT, useServerFixture } from './server-fixture.js';

/** The lease of a renewal, ms. It outlasts every wait of these tests. */
const LEASE = 10_000;
/** The minimum hold of the lock, ms. */
const KEPT = 60_000;

const keepAtLeast = (hold: Hold): void => {
  if (!(hold instanceof GrantedHold)) throw new Error('Not a hold of one lock');
  hold.holdAtLeast(KEPT);
};

describe('F2: the reply to the end of a hold with a minimum time is lost', () => {
  const fixture = useServerFixture();
  const remaining = (): Promise<number> => fixture().admin.pttl('kept');

  const held = async () => {
    const { client, proxy } = await fixture().openBehindProxy({ renewedLease: LEASE, commandTimeout: '1s' });
    const hold = await client.locks.acquire('kept');
    keepAtLeast(hold);
    return { client, proxy, hold };
  };

  it.each(['cutBefore', 'cutAfter'] as const)(
    'D10: keeps the lock if the connection is cut once (%s)',
    async (fault) => {
      const { client, proxy, hold } = await held();
      const cut = proxy[fault](mentions('eval', 'kept'));
      const release = await settled(() => hold.release());
      await cut;
      expect(release.value).toBe('still-held');
      expect(await remaining()).toBeGreaterThan(LEASE);
      expect(client.runtime.grants.size).toBe(0);
    },
  );

  it('D10: keeps the lock if the server cannot be reached for longer', async () => {
    const { proxy, hold } = await held();
    proxy.acceptThenClose();
    const cut = proxy.cutBefore(mentions('eval', 'kept'));
    const release = await settled(() => hold.release());
    await cut;
    expect(release.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(await remaining()).toBeLessThanOrEqual(LEASE);
    proxy.heal();
    const isKept = async () => (await remaining()) > LEASE;
    await until(isKept, RECONNECT + 2000, 'the lock is kept');
  });
});
