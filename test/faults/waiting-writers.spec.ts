import type { ScriptExecutor } from '../../lib/backend/commands/script-executor.js';
import type { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { readWriteLockChannel, waitingWriters } from '../../lib/keys/redisson-keys.js';
import type { Client } from '../kit/client.js';
import { until } from '../kit/until.js';
import { type FaultProxy, mentions } from '../servers/proxy/fault-proxy.js';
import { DEADLINE, RECONNECT, useServerFixture } from './server-fixture.js';

/** A slot, a lease and a wait that cannot end during a test, so that an announcement that is soon gone was withdrawn. */
const LONG = '60s';
/** Long enough for a new connection and a command on it, and shorter than the deadline of a request. */
const LAST_WORDS_MS = 0.75 * DEADLINE;

/** Makes the client reconnect. Its earlier requests are still on their way. */
const hangUp = (client: Client): void => {
  const commands = Reflect.get(client.runtime.backend, 'commands') as ScriptExecutor;
  (Reflect.get(commands, 'connection') as RedisConnection).reconnect();
};

describe('D43: a writer that goes before new readers stops waiting while the network fails', () => {
  const fixture = useServerFixture();

  const lockOf = ({ locks }: Client, name: string) => locks.getReadWriteLock(name, { preference: 'writer' });

  const isAnnounced = async (name: string): Promise<boolean> =>
    (await fixture().admin.exists(waitingWriters(name))) === 1;

  /** A writer waits beside a reader of another client. */
  const setUp = async (name: string) => {
    const other = fixture().open();
    const reading = await lockOf(other, name).readLock().acquire({ lease: LONG });
    const { client, proxy } = await fixture().openBehindProxy({ fairWaitTimeout: LONG, safetyPoll: LONG });
    const abort = new AbortController();
    const writing = lockOf(client, name).writeLock().acquire({ wait: LONG, signal: abort.signal });
    await until(() => isAnnounced(name), 1000, 'the writer is announced');
    const giveUp = async (): Promise<void> => {
      abort.abort();
      await expect(writing).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    };
    /** Resolves with how the release of another reader went. */
    const readBeside = async (): Promise<string> => {
      await until(async () => !(await isAnnounced(name)), RECONNECT + 3 * DEADLINE, 'the writer is withdrawn');
      const beside = await lockOf(other, name).readLock().acquire({ wait: 0 });
      await reading.release();
      return beside.release();
    };
    return { client, proxy, giveUp, readBeside };
  };

  const faults: readonly (readonly [string, (proxy: FaultProxy, name: string) => Promise<void>])[] = [
    ['the reply of the withdrawal is lost', (proxy, name) => proxy.cutAfter(mentions('eval', name))],
    ['the withdrawal is cut before it arrives', (proxy, name) => proxy.cutBefore(mentions('eval', name))],
  ];

  it.each(faults)('and readers get in soon: %s', async (_, fault) => {
    const { proxy, giveUp, readBeside } = await setUp('d43:cut');
    const cut = fault(proxy, 'd43:cut');
    await giveUp();
    await cut;
    await expect(readBeside()).resolves.toBe('released');
  });

  it('and readers get in soon after an outage that lasts longer than the withdrawal may take', async () => {
    const { proxy, giveUp, readBeside } = await setUp('d43:outage');
    proxy.acceptThenClose();
    proxy.cutAll();
    await giveUp();
    await new Promise((resolve) => setTimeout(resolve, 3 * DEADLINE));
    await expect(isAnnounced('d43:outage')).resolves.toBe(true);
    proxy.heal();
    await expect(readBeside()).resolves.toBe('released');
  });

  it('and an attempt that arrives after its withdrawal leaves no announcement', async () => {
    const { client, proxy, giveUp, readBeside } = await setUp('d43:late');
    proxy.delay(LAST_WORDS_MS, 'request');
    const written = new Promise<void>((resolve) => {
      void proxy.cutAfter((command) => {
        if (mentions('eval', 'd43:late')(command)) resolve();
        return false;
      });
    });
    await fixture().admin.publish(readWriteLockChannel('d43:late'), '1');
    await written;
    proxy.delay(0, 'request');
    hangUp(client);
    await giveUp();
    await new Promise((resolve) => setTimeout(resolve, 2 * LAST_WORDS_MS));
    await expect(readBeside()).resolves.toBe('released');
  });
});
