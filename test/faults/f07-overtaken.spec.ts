import type { ScriptExecutor } from '../../lib/backend/commands/script-executor.js';
import { LockUnavailableError } from '../../lib/errors.js';
import type { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { type FaultProxy, mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { DEADLINE, useServerFixture } from './server-fixture.js';
import { chosenDriver } from '../servers/chosen-driver.cjs';
import type { Client } from '../kit/client.js';

/** Long enough for a new connection and a command on it, and shorter than the deadline of a request. */
const LAST_WORDS_MS = 0.75 * DEADLINE;

/** Makes the client reconnect. Its earlier requests are still on their way. */
const hangUp = (client: Client): void => {
  const commands = Reflect.get(client.runtime.backend, 'commands') as ScriptExecutor;
  (Reflect.get(commands, 'connection') as RedisConnection).reconnect();
};

/** Resolves when a command about `name` has reached the proxy. */
const proxyHas = (proxy: FaultProxy, name: string): Promise<void> =>
  new Promise((resolve) => {
    void proxy.cutAfter((command) => {
      if (mentions('eval', name)(command)) resolve();
      return false;
    });
  });

describe('F7: a request arrives after its connection was lost and its client has sent another', () => {
  const fixture = useServerFixture();

  it('never replaces a long lease by an earlier short one', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const { admin } = fixture();
    const hold = await client.locks.acquire('f7:overtaken', { lease: '20s' });
    proxy.delay(LAST_WORDS_MS, 'request');
    const written = proxyHas(proxy, 'f7:overtaken');
    const short = settled(() => hold.extend('21s'));
    await written;
    proxy.delay(0, 'request');
    hangUp(client);
    const long = settled(() => hold.extend('60s'));
    // node-redis still reads the reply on the connection that it ends.
    const { error } = await short;
    const outcomes = chosenDriver === 'node-redis' ? ['unknown', undefined] : ['unknown'];
    expect(outcomes).toContain(error instanceof LockUnavailableError ? error.outcome : error);
    expect((await long).error).toBeUndefined();
    // Every request on its way has arrived by now.
    await new Promise((arrived) => setTimeout(arrived, 2 * LAST_WORDS_MS));
    expect(await admin.pttl('f7:overtaken')).toBeGreaterThan(50_000);
    hold.assertHeld();
    await expect(hold.release()).resolves.toBe('released');
  });

  it('never replaces the lease of a permit, or a number of permits, by an earlier one', async () => {
    const { client, proxy } = await fixture().openBehindProxy({ commandTimeout: 5 * DEADLINE });
    const semaphore = client.locks.getPermitExpirableSemaphore('f7:permits');
    await semaphore.setPermits(1);
    const id = await semaphore.acquire();
    const changes = [
      [() => semaphore.updateLeaseTime(id, '20s'), () => semaphore.updateLeaseTime(id, '60s')],
      [() => semaphore.setPermits(3), () => semaphore.setPermits(7)],
    ] as const;
    for (const [before, after] of changes) {
      proxy.delay(4 * DEADLINE, 'request');
      const written = proxyHas(proxy, 'f7:permits');
      const first = before();
      await written;
      proxy.delay(0, 'request');
      hangUp(client);
      // The second try, on the new connection, is answered long before the first try arrives.
      await first;
      await after();
    }
    await new Promise((arrived) => setTimeout(arrived, 5 * DEADLINE));
    expect(await semaphore.leaseTime(id)).toBeGreaterThan(50_000);
    await expect(semaphore.permits()).resolves.toBe(7);
  });
});
