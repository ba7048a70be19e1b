import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../kit/until.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { scriptExecutions } from '../servers/redis/script-executions.js';
import { settled } from './observe.js';
import { DEADLINE, SLOW, useServerFixture } from './server-fixture.js';

/** A lease that cannot end during a test, so a lock that is free was released. */
const LONG = '60s';
/** How long is waited for a background release that must not come; the first would be sent at once. */
const QUIET_MS = 400;

const held = { name: 'f1:edited', owner: 'user:anna' };

describe('F1: the connection is cut, for a lock of an owner that the application has chosen', () => {
  const fixture = useServerFixture();

  const UNKNOWN = { code: 'LOCK_UNAVAILABLE', outcome: 'unknown', lockName: held.name };
  const owners = (): Promise<string[]> => fixture().admin.hkeys(held.name);

  it.each(['After', 'Before'] as const)('cut%s it is acquired again: it stays with its owner', async (when) => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const { locks } = fixture().open(undefined, SLOW);
    await locks.acquire(held.name, { owner: held.owner, lease: LONG });
    const cut = proxy[`cut${when}`](mentions('eval', held.name));
    const again = await settled(() => client.locks.acquire(held.name, { owner: held.owner, lease: LONG, wait: 0 }));
    expect(again.error).toMatchObject(UNKNOWN);
    await cut;
    await client.connected();
    await sleep(QUIET_MS);
    expect(await owners()).toEqual([`${held.owner}:0`]);
    await expect(client.locks.extend(held, LONG)).resolves.toBe(true);
  });

  it('after it is extended: the caller asks again', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    await client.locks.acquire(held.name, { owner: held.owner, lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', held.name));
    expect((await settled(() => client.locks.extend(held, '2m'))).error).toMatchObject(UNKNOWN);
    await cut;
    await expect(client.locks.extend(held, '2m')).resolves.toBe(true);
  });

  it('after it is released: it was held, and is free', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    await client.locks.acquire(held.name, { owner: held.owner, lease: LONG });
    const cut = proxy.cutAfter(mentions('eval', held.name));
    await expect(client.locks.release(held)).resolves.toBe(true);
    await cut;
    expect(await owners()).toEqual([]);
    await expect(client.locks.release(held)).resolves.toBe(false);
  });

  it('after a request that releases it has been held up: it ends no lock that its owner has acquired since', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const other = fixture().open();
    await other.locks.acquire(held.name, { owner: held.owner, lease: LONG });
    await client.locks.extend(held, LONG);
    proxy.hold('request');
    expect((await settled(() => client.locks.release(held))).error).toMatchObject(UNKNOWN);
    await expect(other.locks.release(held)).resolves.toBe(true);
    const again = await other.locks.acquire(held.name, { owner: held.owner, lease: LONG });
    const asked = await scriptExecutions(fixture().admin);
    proxy.heal();
    await until(async () => (await scriptExecutions(fixture().admin)) > asked, 10 * DEADLINE, 'the request arrives');
    await client.connected();
    await sleep(QUIET_MS);
    expect(await owners()).toEqual([`${held.owner}:0`]);
    await expect(again.release()).resolves.toBe('released');
  });

  it('before it is released: a copy that may still be executed is waited for, before it is asked again', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    await client.locks.acquire(held.name, { owner: held.owner, lease: LONG });
    const cut = proxy.cutBefore(mentions('eval', held.name));
    const begin = performance.now();
    await expect(client.locks.release(held)).resolves.toBe(true);
    expect(performance.now() - begin).toBeGreaterThan(DEADLINE - 20);
    await cut;
    expect(await owners()).toEqual([]);
  });
});
