import { LockUnavailableError } from '../../lib/errors.js';
import type { Lock, LockService } from '../../lib/index.js';
import { LOCKS } from '../topologies/every-kind.js';
import { scriptExecutions } from '../servers/redis/script-executions.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, useServerFixture } from './server-fixture.js';

/** A lease that needs no renewal during a test. */
const LONG = '60s';

describe('F7: a forced release arrives after its caller has given up', () => {
  const fixture = useServerFixture();

  it.each(LOCKS)(
    'D17: leaves the %s lock to the next holder',
    async (_: string, lockOf: (locks: LockService, name: string) => Lock) => {
      const { client, proxy } = await fixture().openBehindProxy();
      const { admin } = fixture();
      const other = fixture().open();
      const first = await lockOf(other.locks, 'f7').acquire({ lease: LONG });
      const forced = lockOf(client.locks, 'f7');
      // The client is now connected to the right server, so that it writes the next request at once.
      await forced.isLocked();

      proxy.hold('request');
      const attempt = await settled(() => forced.forceRelease());
      expect(attempt.error).toBeInstanceOf(LockUnavailableError);
      expect(attempt.error).toMatchObject({ outcome: 'unknown' });
      await first.release();
      const second = await lockOf(other.locks, 'f7').acquire({ lease: LONG });
      const asked = await scriptExecutions(admin);
      const held = await fixture().admin.dump('f7');
      proxy.heal();
      await until(async () => (await scriptExecutions(admin)) > asked, 10 * DEADLINE, 'the request arrives');
      // This request comes behind the late one, because it uses the same connection.
      await client.connected();

      await expect(admin.dump('f7')).resolves.toEqual(held);
      await expect(second.release()).resolves.toBe('released');
    },
  );

  it.each(LOCKS)('D17: ends the hold of the %s lock if it arrives in time', async (_, lockOf) => {
    const [one, other] = [fixture().open(), fixture().open()];
    await one.connected();
    const hold = await lockOf(other.locks, 'f7').acquire({ lease: LONG });
    await expect(lockOf(one.locks, 'f7').forceRelease()).resolves.toBe(true);
    await expect(lockOf(one.locks, 'f7').forceRelease()).resolves.toBe(false);
    await expect(hold.release()).resolves.toBe('expired');
  });
});
