import { setTimeout as sleep } from 'node:timers/promises';
import { mentions } from '../servers/proxy/fault-proxy.js';
import { expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, POLL, RECONNECT, useServerFixture } from './server-fixture.js';
import { untilConnected } from '../kit/client.js';

/** The limit for connections within a second, one every 80 ms. Without a pause there would be hundreds. */
const STORM = 12;

describe('F39: subscribing again fails', () => {
  const fixture = useServerFixture();

  /** The URL of a new user, who may do everything at first. */
  const newUser = async (): Promise<string> => {
    await fixture().admin.acl('SETUSER', 'locker', 'reset', 'on', '>secret', '~*', '&*', '+@all');
    return fixture().server.url.replace('//', '//locker:secret@');
  };

  const connections = async () =>
    Number(/total_connections_received:(\d+)/.exec(await fixture().admin.info('stats'))?.[1] ?? 0);

  it('if the right to the channel is revoked: waiters poll, without a storm on the server', async () => {
    const url = await newUser();
    const waiter = fixture().open(url, { safetyPoll: '1h' });
    const holder = fixture().open();
    const hold = fixture().history.note(await holder.locks.acquire('f39', { lease: '60s' }));
    const waiting = waiter.locks.acquire('f39', { wait: '30s', lease: '60s' });
    await fixture().listening('f39');
    await fixture().admin.acl('SETUSER', 'locker', 'resetchannels');
    await fixture().listening('f39', 0);
    const before = await connections();
    await sleep(1000);
    expect((await connections()) - before).toBeLessThan(STORM);
    const served = settled(async () => fixture().history.note(await waiting));
    await hold.release();
    expectWithin(await served, POLL + DEADLINE);
    await expect((await served).value?.release()).resolves.toBe('released');
    // New waiters poll as well. After the return of the right, messages wake them again.
    const second = fixture().history.note(await holder.locks.acquire('f39', { lease: '60s' }));
    const polled = waiter.locks.acquire('f39', { wait: '30s', lease: '60s' });
    await fixture().admin.acl('SETUSER', 'locker', '&*');
    await fixture().listening('f39');
    const heard = settled(async () => fixture().history.note(await polled));
    await second.release();
    expectWithin(await heard, 100);
    await (await heard).value?.release();
  });

  it('if the connection is cut repeatedly while it subscribes again', async () => {
    const proxy = await fixture().proxy();
    const waiter = fixture().openSplit(fixture().server.url, proxy.url, { safetyPoll: '1h' });
    const holder = fixture().open();
    const hold = fixture().history.note(await holder.locks.acquire('f39:cut', { lease: '60s' }));
    const waiting = waiter.locks.acquire('f39:cut', { wait: '30s', lease: '60s' });
    await fixture().listening('f39:cut');
    for (const cut of ['cutBefore', 'cutAfter', 'cutBefore', 'cutAfter'] as const) {
      const again = proxy[cut](mentions('subscribe', 'f39:cut'));
      proxy.cutAll();
      await again;
    }
    await fixture().listening('f39:cut');
    const served = settled(async () => fixture().history.note(await waiting));
    await hold.release();
    expectWithin(await served, 100);
    await expect((await served).value?.release()).resolves.toBe('released');
  });

  it('if the client is closed at that moment', async () => {
    for (let round = 0; round < 8; round++) {
      const proxy = await fixture().proxy();
      const waiter = fixture().openSplit(fixture().server.url, proxy.url);
      const name = `f39:close:${round}`;
      const hold = fixture().history.note(await fixture().open().locks.acquire(name, { lease: '60s' }));
      const waiting = settled(() => waiter.locks.acquire(name, { wait: '30s' }));
      await fixture().listening(name);
      const again =
        round % 2 === 0
          ? proxy.cutBefore(mentions('subscribe', name))
          : until(() => proxy.open > 0, 3000, 'it is back');
      proxy.cutAll();
      await until(() => proxy.open === 0, 1000, 'the subscriber is cut');
      await again;
      if (round >= 4) await sleep(round);
      const closed = await settled(() => waiter.close());
      expectWithin(closed, 700);
      expect((await waiting).error).toMatchObject({ code: 'LOCK_SHUTDOWN' });
      await expect(hold.release()).resolves.toBe('released');
    }
  });

  it('if the right to TIME is revoked: calls name it, without a storm of connections', async () => {
    const url = await newUser();
    const { locks } = fixture().open(url);
    await untilConnected(locks);
    await fixture().admin.acl('SETUSER', 'locker', '-time');
    const before = await connections();
    await fixture().admin.call('CLIENT', 'KILL', 'USER', 'locker');
    const end = performance.now() + 1000;
    while (performance.now() < end) {
      const { error } = await settled(() => locks.tryAcquire('f39:time'));
      expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    }
    expect(String((await settled(() => locks.tryAcquire('f39:time'))).error)).toContain("'time'");
    expect((await connections()) - before).toBeLessThan(STORM);
    await fixture().admin.acl('SETUSER', 'locker', '+@all');
    // Calls report the last failure until the next attempt to connect has another outcome.
    const works = async () => (await settled(() => locks.withLock('f39:time', () => 'ran'))).value === 'ran';
    await until(works, RECONNECT + 2 * DEADLINE, 'locks work again');
  });

  it('if the right to run scripts is revoked: calls report it at once, and work again when it is back', async () => {
    const url = await newUser();
    const { locks } = fixture().open(url);
    await untilConnected(locks);
    await fixture().admin.acl('SETUSER', 'locker', '-evalsha', '-eval');
    const refused = await settled(() => locks.acquire('f39:acl', { wait: '30s' }));
    expect(refused.error).toMatchObject({ code: 'LOCK_UNAVAILABLE', permanent: true });
    expectWithin(refused, RECONNECT);
    await fixture().admin.acl('SETUSER', 'locker', '+@all');
    const hold = fixture().history.note(await locks.acquire('f39:acl', { wait: '30s' }));
    await expect(hold.release()).resolves.toBe('released');
  });
});
