import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing } from '../../lib/errors.js';
import type { Client, ClientOptions } from './server-fixture.js';
import { POLL, RECONNECT, useBench } from './server-fixture.js';
import { repeatedly, until } from './observe.js';

const CLIENTS = 4;
const WAITERS = 5;

describe('F6: all connections are reset while 20 wait and 1 holds', () => {
  const bench = useBench();

  /** Waiters of several clients behind one proxy, and a holder there too. */
  const crowd = async (name: string, options?: ClientOptions) => {
    const proxy = await bench().proxy();
    const clients = Array.from({ length: CLIENTS }, () => bench().open(proxy.url, options));
    const holder = bench().open(proxy.url, options);
    const hold = bench().history.note(await holder.locks.acquire(name));
    const serve = ({ locks }: Client) =>
      locks.withLock(name, { wait: '20s' }, async (mine) => {
        bench().history.note(mine);
        await sleep(1);
      });
    const served = clients.flatMap((client) => Array.from({ length: WAITERS }, () => serve(client)));
    // Everybody's first in line has tried and listens.
    await bench().listening(name, CLIENTS);
    return { proxy, hold, served: Promise.all(served) };
  };

  it('serves all when the lock is released as the connections go down', async () => {
    const { proxy, hold, served } = await crowd('f6:once');
    proxy.cutAll();
    await expect(hold.release()).resolves.toBe('released');
    await served;
    expect(bench().history.grants).toBe(CLIENTS * WAITERS + 1);
    expect(bench().history.longestGap('f6:once')).toBeLessThan(3 * (RECONNECT + POLL));
  });

  it('serves all when it happens again and again', async () => {
    // In 200 ms a busy machine gets no connection ready between two resets.
    const { proxy, hold, served } = await crowd('f6:often', { commandTimeout: '1s' });
    const stop = repeatedly(() => proxy.cutAll(), 150);
    // Both tries may be cut before their replies; the release then goes on in the background.
    await hold.release().catch((error: unknown) => {
      if (!isPassing(error)) throw error;
    });
    await served;
    await stop();
    expect(bench().history.grants).toBe(CLIENTS * WAITERS + 1);
    expect(bench().history.longestGap('f6:often')).toBeLessThan(3 * (RECONNECT + POLL));
    await until(async () => (await bench().admin.exists('f6:often')) === 0, 2000, 'nothing is left');
  });
});
