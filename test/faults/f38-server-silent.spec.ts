import { LockUnavailableError } from '../../lib/errors.js';
import { expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, POLL, RECONNECT, useServerFixture } from './server-fixture.js';
import type { Client } from '../kit/client.js';

/** Expects that every call that needs the server is refused in time. */
const expectUnavailable = async ({ locks }: Client): Promise<void> => {
  const calls = [
    { within: DEADLINE + 100, call: () => locks.tryAcquire('f38') },
    { within: 500 + DEADLINE + 100, call: () => locks.tryAcquire('f38', { wait: 500, lease: '10s' }) },
    { within: 500 + DEADLINE + 100, call: () => locks.acquire('f38', { wait: 500 }) },
    { within: DEADLINE + 100, call: () => locks.withLock('f38', { wait: 0 }, () => 'ran') },
    { within: DEADLINE + 100, call: () => locks.getLock('f38').isLocked() },
    { within: DEADLINE + 100, call: () => locks.getLock('f38').forceRelease() },
  ];
  const outcomes = await Promise.all(
    calls.map(async ({ within, call }) => ({ within, ...(await settled<unknown>(call)) })),
  );
  for (const { within, ...outcome } of outcomes) {
    expect(outcome).toMatchObject({ error: expect.any(LockUnavailableError) as unknown });
    expectWithin(outcome, within);
  }
};

describe('F38: the server accepts and does not answer', () => {
  const fixture = useServerFixture();

  it.each([
    ['never answers', 'acceptThenSilent'],
    ['closes at once', 'acceptThenClose'],
  ] as const)(
    '%s, from the first connection on: calls settle, and the first grant comes soon after the outage',
    async (_, fault) => {
      const proxy = await fixture().proxy();
      proxy[fault]();
      const client = fixture().open(proxy.url);
      await expectUnavailable(client);
      await expectUnavailable(client);
      const waiting = settled(() => client.locks.acquire('f38', { wait: '30s' }));
      await new Promise((resolve) => setTimeout(resolve, 100));
      proxy.heal();
      const healed = await settled(() => waiting);
      expectWithin(healed, RECONNECT + 2 * DEADLINE + 500);
      const hold = fixture().history.note(healed.value?.value ?? null);
      await expect(fixture().admin.hgetall('f38')).resolves.toEqual({ [hold?.owner ?? 'nobody']: '1' });
      await expect(hold?.release()).resolves.toBe('released');
    },
  );

  it('from some time on: calls settle, without a later effect', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const waiter = fixture().open(proxy.url);
    const hold = fixture().history.note(await client.locks.acquire('f38:held', { lease: '60s' }));
    const waiting = settled(() => waiter.locks.acquire('f38:held', { wait: POLL + 2 * DEADLINE }));
    await fixture().listening('f38:held');
    // Between two attempts the waiter knows only that another owner has the lock.
    proxy.hold();
    await expectUnavailable(client);
    const release = await settled(() => hold.release());
    expect(release.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(release, 2 * DEADLINE + 50);
    const waited = await waiting;
    expect(waited.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(waited, POLL + 3 * DEADLINE + 100);
    proxy.heal();
    await until(async () => (await fixture().admin.keys('*')).length === 0, RECONNECT + 2 * DEADLINE, 'nothing stays');
  });
});

describe('TP-04: the server is stopped', () => {
  const fixture = useServerFixture();

  it('rejects calls as unavailable, with a wait too: they neither hang nor report a conflict', async () => {
    const client = fixture().open();
    const fresh = fixture().open();
    const hold = await client.locks.acquire('tp04', { lease: '60s' });
    await fixture().server.kill9();
    for (const each of [client, fresh]) {
      await expectUnavailable(each);
      const waits = [1000, 1100, 1200].map((wait) =>
        settled(() => each.locks.tryAcquire('tp04', { wait, lease: '10s' })),
      );
      for (const waited of await Promise.all(waits)) {
        expect(waited.error).toBeInstanceOf(LockUnavailableError);
        expectWithin(waited, 1200 + DEADLINE + 100);
      }
    }
    const release = await settled(() => hold.release());
    expect(release.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(release, 2 * DEADLINE + 50);

    // The server comes back empty, as after a crash without persistence.
    const waiting = settled(() => fresh.locks.acquire('tp04', { wait: '30s' }));
    await fixture().server.restart();
    const { value } = await waiting;
    await expect(value?.release()).resolves.toBe('released');
  });
});
