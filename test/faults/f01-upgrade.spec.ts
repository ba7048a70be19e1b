import { LockUnavailableError, type Hold } from '../../lib/standalone.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, RECONNECT, useServerFixture } from './server-fixture.js';

/** A lease that cannot end during a test, so a lock that is soon free was released. */
const LONG = '60s';

describe('F1: the reply to an upgrade or a downgrade is lost', () => {
  const fixture = useServerFixture();

  const setUp = async (name: string) => {
    const { client, proxy } = await fixture().openBehindProxy();
    const lock = client.locks.getReadWriteLock(name);
    return { client, proxy, read: lock.readLock(), write: lock.writeLock() };
  };
  const free = (name: string): Promise<void> =>
    until(async () => (await fixture().admin.keys(`*${name}*`)).length === 0, RECONNECT + 2 * DEADLINE, 'it is free');

  const WAYS: readonly (readonly ['readLock' | 'writeLock', (hold: Hold) => Promise<Hold | null>])[] = [
    ['readLock', (hold) => hold.tryUpgrade()],
    ['writeLock', (hold) => hold.downgrade()],
  ];

  it.each(WAYS)('the hold is lost, and the lock is released: %s', async (half, convert) => {
    const { client, proxy } = await setUp('f1:way');
    for (let round = 0; round < 3; round++) {
      const name = `f1:way:${round}`;
      const hold = await client.locks.getReadWriteLock(name)[half]().acquire({ lease: LONG });
      const cut = proxy.cutAfter(mentions('eval', name));
      const attempt = await settled(() => convert(hold));
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expect(attempt.error).toMatchObject({ outcome: 'unknown', lockName: name });
      await cut;
      expect([hold.isHeld, hold.signal.aborted]).toEqual([false, true]);
      await free(name);
      await expect(hold.release()).resolves.toBe('expired');
      await client.connected();
    }
  });

  it('a callback whose hold is lost in this way leaves nothing', async () => {
    const { proxy, read } = await setUp('f1:call');
    let cut: Promise<unknown> | undefined;
    const call = read.withLock({ lease: LONG }, async (hold) => {
      cut = proxy.cutAfter(mentions('eval', 'f1:call'));
      await hold.tryUpgrade();
    });
    await expect(call).rejects.toMatchObject({ outcome: 'unknown' });
    await cut;
    await free('f1:call');
  });

  it('F7 a request that comes late changes nothing, and the lock stays free', async () => {
    const { proxy, read } = await setUp('f7:late');
    const hold = await read.acquire({ lease: LONG });
    proxy.delay(2 * DEADLINE, 'request');
    const attempt = await settled(() => hold.tryUpgrade());
    expect(attempt.error).toMatchObject({ outcome: 'unknown' });
    proxy.delay(0, 'request');
    await free('f7:late');
    await fixture().admin.ping();
    await expect(fixture().admin.exists('f7:late')).resolves.toBe(0);
  });
});
