import type { Hold } from '../../lib/index.js';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { SLOW, useServerFixture } from './server-fixture.js';
import { fairDeadlines, fairQueue } from '../../lib/keys/redisson-keys.js';

const LONG = '60s';

/** F1 and F17 of faults.md for the queue, which only a fair lock has. */
describe('The queue of a fair lock', () => {
  const fixture = useServerFixture();
  const places = (name: string): Promise<string[]> => fixture().admin.lrange(fairQueue(name), 0, -1);
  const queued = (name: string, count: number): Promise<void> =>
    until(async () => (await places(name)).length === count, 3000, `${count} wait for ${name}`);
  const isGone = (name: string): Promise<void> =>
    until(
      async () => (await fixture().admin.exists(name, fairQueue(name), fairDeadlines(name))) === 0,
      3000,
      `nothing is left of ${name}`,
    );

  /** The earliest deadline in the queue. */
  const deadline = async (name: string): Promise<number> =>
    Number((await fixture().admin.zrange(fairDeadlines(name), '0', '0', 'WITHSCORES'))[1]);

  const hold = async (name: string): Promise<Hold> => {
    const { locks } = fixture().open();
    return fixture().history.note(await locks.getFairLock(name).acquire({ lease: LONG }));
  };

  it('F1 counts one hold if the granting reply is lost', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const cut = proxy.cutAfter(mentions('eval', 'f1:granted'));
    const attempt = settled(() => client.locks.getFairLock('f1:granted').acquire({ wait: '5s', lease: LONG }));
    await cut;
    const { value } = await attempt;
    const got = fixture().history.note(value ?? null);
    await expect(fixture().admin.hgetall('f1:granted')).resolves.toEqual({ [got?.owner ?? 'nobody']: '1' });
    await expect(got?.release()).resolves.toBe('released');
    await isGone('f1:granted');
  });

  it('F1 has one place for a waiter whose reply is lost, before later waiters', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const holder = await hold('f1:place');
    const cut = proxy.cutAfter(mentions('eval', 'f1:place'));
    const first = client.locks.getFairLock('f1:place').acquire({ wait: '10s', lease: LONG });
    await cut;
    await queued('f1:place', 1);
    const second = fixture().open().locks.getFairLock('f1:place').acquire({ wait: '10s', lease: LONG });
    await queued('f1:place', 2);
    const before = await places('f1:place');
    await holder.release();
    const got = fixture().history.note(await first);
    expect(got.owner).toBe(before[0]);
    await expect(places('f1:place')).resolves.toEqual(before.slice(1));
    await got.release();
    await fixture()
      .history.note(await second)
      .release();
    await isGone('f1:place');
  });

  it('F1 serves concurrent waiters in order although the connection of the first was lost', async () => {
    const { client, proxy } = await fixture().openBehindProxy(SLOW);
    const holder = await hold('f1:order');
    const cut = proxy.cutAfter(mentions('eval', 'f1:order'));
    const order: number[] = [];
    const works = Array.from({ length: 20 }, async (_, arrival) => {
      const got = await client.locks.getFairLock('f1:order').acquire({ wait: '10s', lease: LONG });
      order.push(arrival);
      await fixture().history.note(got).release();
    });
    await cut;
    await queued('f1:order', 20);
    await holder.release();
    await Promise.all(works);
    expect(order).toEqual(Array.from({ length: 20 }, (_, arrival) => arrival));
    await isGone('f1:order');
  });

  it('F1 loses a waiter that gives up while its reply is lost', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const holder = await hold('f1:abort');
    const controller = new AbortController();
    const cut = proxy.cutAfter(mentions('eval', 'f1:abort'));
    const { signal } = controller;
    const attempt = settled(() => client.locks.getFairLock('f1:abort').acquire({ wait: '10s', lease: LONG, signal }));
    await cut;
    await queued('f1:abort', 1);
    controller.abort();
    expect((await attempt).error).toMatchObject({ code: 'LOCK_ABORTED' });
    await queued('f1:abort', 0);
    await holder.release();
  });

  it('F1 loses a waiter whose request to leave is lost', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const holder = await hold('f1:leave');
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = settled(() => client.locks.getFairLock('f1:leave').acquire({ wait: '10s', lease: LONG, signal }));
    const listening = async () => (await fixture().admin.pubsub('CHANNELS', '*{f1:leave}:*')).length === 1;
    await until(listening, 3000, 'the waiter listens');
    const cut = proxy.cutBefore(mentions('eval', 'f1:leave'));
    controller.abort();
    await cut;
    expect((await attempt).error).toMatchObject({ code: 'LOCK_ABORTED' });
    await queued('f1:leave', 0);
    await holder.release();
    await isGone('f1:leave');
  });

  it('F17 works if the server is out of memory', async () => {
    const options = { fairWaitTimeout: 3000 };
    const [one, other] = [fixture().open(undefined, options), fixture().open(undefined, options)];
    const holder = await hold('f17:queue');
    const first = one.locks.getFairLock('f17:queue').acquire({ wait: '2m', lease: LONG });
    await queued('f17:queue', 1);
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = settled(() => other.locks.getFairLock('f17:queue').acquire({ wait: '2m', lease: LONG, signal }));
    await queued('f17:queue', 2);
    const isKept = async () => (await deadline('f17:queue')) < Date.now() + 30_000;
    await until(isKept, 10_000, 'the places no longer last as long as the lease of the holder');
    await fixture().admin.config('SET', 'maxmemory', '1');
    const before = await deadline('f17:queue');
    await until(async () => (await deadline('f17:queue')) > before, 20_000, 'the places are kept');
    await expect(places('f17:queue')).resolves.toHaveLength(2);
    const newcomer = fixture().open(undefined, options);
    const late = await settled(() => newcomer.locks.getFairLock('f17:queue').acquire({ wait: 1500 }));
    expect(late.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'refused' });
    controller.abort();
    expect((await attempt).error).toMatchObject({ code: 'LOCK_ABORTED' });
    await queued('f17:queue', 1);
    await expect(holder.release()).resolves.toBe('released');
    await fixture().admin.config('SET', 'maxmemory', '0');
    await fixture()
      .history.note(await first)
      .release();
    await isGone('f17:queue');
  });
});
