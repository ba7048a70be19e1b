import { LockUnavailableError } from '../../lib/errors.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { executions, expectWithin, settled } from './observe.js';
import { DEADLINE, RECONNECT, SLOW, useServerFixture } from './server-fixture.js';

const ROUNDS = 10;

describe('F5: the request is cut before it arrives', () => {
  const fixture = useServerFixture();

  it('rejects a single attempt in time, without an effect', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const { admin } = fixture();
    const granted = await executions(admin, 'hset');
    for (let round = 0; round < ROUNDS; round++) {
      const name = `f5:try:${round}`;
      const cut = proxy.cutBefore(mentions('eval', name));
      const attempt = await settled(() => client.locks.tryAcquire(name));
      await cut;
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expectWithin(attempt, DEADLINE + 100);
      await client.connected();
    }
    expect(await executions(admin, 'hset')).toBe(granted);
  });

  it('repeats the attempt while the caller waits', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    for (let round = 0; round < ROUNDS; round++) {
      const name = `f5:wait:${round}`;
      const cut = proxy.cutBefore(mentions('eval', name));
      const attempt = await settled(() => client.locks.acquire(name, { wait: '10s' }));
      await cut;
      expectWithin(attempt, RECONNECT + DEADLINE);
      const hold = fixture().history.note(attempt.value ?? null);
      await expect(fixture().admin.hgetall(name)).resolves.toEqual({ [hold?.owner ?? 'nobody']: '1' });
      await expect(hold?.release()).resolves.toBe('released');
    }
  });

  it('repeats a release', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const hold = fixture().history.note(await client.locks.acquire('f5:release', { lease: '60s' }));
    const cut = proxy.cutBefore(mentions('eval', 'f5:release'));
    const release = await settled(() => hold.release());
    await cut;
    expect(release.value).toBe('released');
    expectWithin(release, 2 * DEADLINE);
    await expect(fixture().admin.exists('f5:release')).resolves.toBe(0);
  });

  it('repeats a re-entry', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const outer = fixture().history.note(await client.locks.acquire('f5:twice'));
    const cut = proxy.cutBefore(mentions('eval', 'f5:twice', outer.owner));
    const inner = await outer.run(() => client.locks.acquire('f5:twice', { wait: '10s' }));
    await cut;
    await expect(fixture().admin.hgetall('f5:twice')).resolves.toEqual({ [outer.owner]: '2' });
    await inner.release();
    await expect(outer.release()).resolves.toBe('released');
  });
});
