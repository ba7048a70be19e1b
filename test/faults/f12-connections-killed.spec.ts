import { setTimeout as sleep } from 'node:timers/promises';
import { expectWithin, repeatedly, settled } from './observe.js';
import { useServerFixture } from './server-fixture.js';
import { until } from '../kit/until.js';
import type { Client } from '../kit/client.js';

const WORKERS = 4;
const DURATION = 3000;
/** A lease that is renewed twice in that time, and is so long that no stall of this process ends it. */
const KEPT_MS = 4500;
/** A poll interval so long that no poll serves a waiter within these tests. */
const NEVER = { safetyPoll: '1h' } as const;

describe('F12: the server kills connections', () => {
  const fixture = useServerFixture();

  it.each(['normal', 'pubsub'] as const)('of type %s every 300 ms: all owners make progress', async (type) => {
    const { admin, history } = fixture();
    const clients = [fixture().open(), fixture().open(), fixture().open()];
    const keeper = fixture().open(undefined, { renewedLease: KEPT_MS });
    let renewals = 0;
    keeper.locks.onEvent('renewed', () => void (renewals += 1));
    const kept = history.note(await keeper.locks.acquire('f12:kept'));
    const rounds = new Map<string, number>();
    const end = performance.now() + DURATION;
    const work = async ({ locks }: Client, who: string, name: string) => {
      for (let round = 1; performance.now() < end; round++) {
        await locks.withLock(name, { wait: '20s' }, async (hold) => {
          history.note(hold);
          await sleep(5);
        });
        rounds.set(who, round);
      }
    };
    const stop = repeatedly(() => admin.call('CLIENT', 'KILL', 'TYPE', type), 300);
    await Promise.all(
      clients.flatMap((client, index) =>
        Array.from({ length: WORKERS }, (_, worker) => work(client, `${index}:${worker}`, `f12:${worker % 2}`)),
      ),
    );
    await until(() => renewals >= 2, 2 * KEPT_MS, 'the watchdog has renewed a hold twice, in spite of the faults');
    await stop();
    expect(rounds.size).toBe(clients.length * WORKERS);
    kept.assertHeld();
    await expect(kept.release()).resolves.toBe('released');
    const problems = clients.flatMap(({ events }) => events.filter((event) => event.type === 'lost'));
    expect(problems).toEqual([]);
  });
});

describe('Show: the subscriber connection is dropped while a release happens', () => {
  const fixture = useServerFixture();

  /** Releases while the waiter listens and `drop` ends its subscriber connection. Resolves with the wait. */
  const releaseDuring = async (name: string, waiter: Client, drop: () => Promise<unknown>) => {
    const { history } = fixture();
    const holder = fixture().open();
    const hold = history.note(await holder.locks.acquire(name, { lease: '60s' }));
    const waiting = settled(() => waiter.locks.acquire(name, { wait: '30s', lease: '60s' }));
    await fixture().listening(name);
    const served = settled(async () => {
      const { value, error } = await waiting;
      if (!value) throw error;
      return history.note(value).release();
    });
    await Promise.all([drop(), hold.release()]);
    return served;
  };

  it('by the server, and the waiter is served within 1 s', async () => {
    const waiter = fixture().open(undefined, NEVER);
    for (let round = 0; round < 10; round++) {
      const name = `show:kill:${round}`;
      const served = await releaseDuring(name, waiter, () => fixture().admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
      expect(served.value).toBe('released');
      expectWithin(served, 1000);
    }
  });

  it('by the network, with the message in flight, and the waiter is served within 1 s', async () => {
    const proxy = await fixture().proxy();
    const waiter = fixture().openSplit(fixture().server.url, proxy.url, NEVER);
    for (let round = 0; round < 10; round++) {
      const served = await releaseDuring(`show:cut:${round}`, waiter, async () => {
        proxy.blackhole('reply');
        await sleep(20 * Math.random());
        // Connections that lost bytes are cut, and new ones are accepted.
        proxy.heal();
        proxy.cutAll();
      });
      expect(served.value).toBe('released');
      expectWithin(served, 1000);
    }
  });
});
