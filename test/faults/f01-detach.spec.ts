import type { LockKindOptions } from '../../lib/advanced.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { until } from '../kit/until.js';
import { settled } from './observe.js';
import { RECONNECT, SLOW, useServerFixture } from './server-fixture.js';

/** A lease that cannot end during a test, so a lock that is soon free was released. */
const LONG = '60s';

const KINDS: readonly LockKindOptions[] = [{}, { fair: true }, { fenced: true }, { kind: 'spin' }];

describe('F1: the connection is cut', () => {
  const fixture = useServerFixture();

  const UNKNOWN = { code: 'LOCK_UNAVAILABLE', outcome: 'unknown', lockName: 'f1:passed' };

  it.each(KINDS)('after an attachment: the lock is released, and the token is used up: %p', async (options) => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const { locks } = fixture().open();
    const token = await (await locks.acquire('f1:passed', options)).detach({ lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', 'f1:passed'));
    const attempt = await settled(() => client.locks.attach(token));
    expect(attempt.error).toMatchObject(UNKNOWN);
    await cut;
    const isFree = async () => (await fixture().admin.exists('f1:passed')) === 0;
    await until(isFree, RECONNECT + 2 * SLOW.commandTimeout, 'it is free');
    await expect(locks.attach(token)).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  it('after a detachment: the hold has ended, and the lock is left to the lease of the token', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const hold = await client.locks.acquire('f1:passed', { lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', 'f1:passed'));
    const attempt = await settled(() => hold.detach({ lease: LONG }));
    expect(attempt.error).toMatchObject(UNKNOWN);
    await cut;
    expect([hold.isHeld, hold.isReleased]).toEqual([false, true]);
    await expect(hold.release()).resolves.toBe('expired');
    await client.connected();
    const owners = await fixture().admin.hkeys('f1:passed');
    expect(owners).toHaveLength(1);
    expect(owners).not.toContain(hold.owner);
  });

  it('before a detachment: the hold has ended all the same, and the lock is left to its own lease', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const hold = await client.locks.acquire('f1:passed', { lease: LONG });
    const cut = proxy.cutBefore(mentions('eval', 'f1:passed'));
    const attempt = await settled(() => hold.detach({ lease: LONG }));
    expect(attempt.error).toMatchObject(UNKNOWN);
    await cut;
    expect(hold.isReleased).toBe(true);
    await expect(fixture().admin.hkeys('f1:passed')).resolves.toEqual([hold.owner]);
  });
});
