import { scripts } from '../../lib/backend/scripts/scripts.generated.js';
import { runs } from '../servers/proxy/commands-seen.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { DEADLINE, RECONNECT, useServerFixture } from './server-fixture.js';

/** A lease that cannot end during a test, so a lock that is soon free was given back. */
const LONG = '60s';

describe('F1: the reply of a request about a multi-lock is lost', () => {
  const fixture = useServerFixture();
  const keys = (): Promise<string[]> => fixture().admin.keys('*');

  it('continues the wait if that happens to the common lease, which is set last', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const other = await fixture().open().locks.acquire('f1:b', { lease: LONG });
    const waiting = settled(() => client.locks.getMultiLock('f1:a', 'f1:b').acquire({ lease: LONG, wait: '10s' }));
    await fixture().listening('f1:b');
    const [sets, ofA] = [runs(scripts.lock.hold), mentions('f1:a')];
    const cut = proxy.cutAfter((command) => sets(command) && ofA(command));
    await other.release();
    await cut;
    const { value: hold, error, ms } = await waiting;
    expect(error).toBeUndefined();
    hold?.assertHeld();
    expect(ms).toBeLessThan(RECONNECT + 8 * DEADLINE);
    for (const { name, owner } of hold?.members ?? []) {
      await expect(fixture().admin.hgetall(name)).resolves.toEqual({ [owner]: '1' });
    }
    await expect(hold?.release()).resolves.toBe('released');
    await expect(keys()).resolves.toEqual([]);
  });
});
