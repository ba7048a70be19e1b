import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing } from '../../lib/errors.js';
import type { Hold } from '../../lib/index.js';
import { POLL, RECONNECT, useServerFixture } from './server-fixture.js';
import type { Client } from '../kit/client.js';
import { repeatedly } from './observe.js';
import { until } from '../kit/until.js';

/** On a busy machine no connection gets ready again within the 200 ms of other tests, as a release needs it. */
const PATIENT = { commandTimeout: '2s' } as const;

const CLIENTS = 4;
const WAITERS = 5;

describe('F6: all connections are reset while 20 wait and 1 holds', () => {
  const fixture = useServerFixture();

  /** Waiters of several clients behind one proxy, and a holder behind it. */
  const crowd = async (name: string) => {
    const proxy = await fixture().proxy();
    const clients = Array.from({ length: CLIENTS }, () => fixture().open(proxy.url, PATIENT));
    const holder = fixture().open(proxy.url, PATIENT);
    const hold = fixture().history.note(await holder.locks.acquire(name));
    const serve = ({ locks }: Client) =>
      locks.withLock(name, { wait: '20s' }, async (mine) => {
        fixture().history.note(mine);
        await sleep(1);
      });
    const served = clients.flatMap((client) => Array.from({ length: WAITERS }, () => serve(client)));
    // The first waiter of every client has made its attempt, and listens.
    await fixture().listening(name, CLIENTS);
    return { proxy, hold, served: Promise.all(served) };
  };

  /** Lets go of the lock. If neither of its two tries is answered, the release is repeated in the background. */
  const release = async (hold: Hold): Promise<void> => {
    await hold.release().catch((error: unknown) => {
      if (!isPassing(error)) throw error;
    });
  };

  const nothingLeft = (name: string): Promise<unknown> =>
    until(async () => (await fixture().admin.exists(name)) === 0, 2000, 'nothing is left');

  it('serves all waiters if the lock is released as the connections go down', async () => {
    const { proxy, hold, served } = await crowd('f6:once');
    proxy.cutAll();
    await release(hold);
    await served;
    expect(fixture().history.grants).toBe(CLIENTS * WAITERS + 1);
    expect(fixture().history.longestGap('f6:once')).toBeLessThan(3 * (RECONNECT + POLL));
    await nothingLeft('f6:once');
  });

  it('serves all waiters if it happens repeatedly', async () => {
    const { proxy, hold, served } = await crowd('f6:often');
    const stop = repeatedly(() => proxy.cutAll(), 150);
    await release(hold);
    await served;
    await stop();
    expect(fixture().history.grants).toBe(CLIENTS * WAITERS + 1);
    expect(fixture().history.longestGap('f6:often')).toBeLessThan(3 * (RECONNECT + POLL));
    await nothingLeft('f6:often');
  });
});
