import { waitingClients } from '../../lib/keys/redisson-keys.js';
import { until } from '../kit/until.js';
import { expectWithin, settled } from './observe.js';
import { type ClientSetup, DEADLINE, POLL, useServerFixture } from './server-fixture.js';

/** The subscriber's heartbeat asks every 2 s, and expects an answer within 1 s. */
const HEARTBEAT = 3000;

describe('F28: the subscriber connection is half open', () => {
  const fixture = useServerFixture();

  /** The time until a waiter is served after a release whose message does not reach its subscriber. */
  const serveDeaf = async (name: string, options: ClientSetup) => {
    const proxy = await fixture().proxy();
    const waiter = fixture().openSplit(fixture().server.url, proxy.url, options);
    const holder = fixture().open();
    const hold = fixture().history.note(await holder.locks.acquire(name, { lease: '60s' }));
    const waiting = waiter.locks.acquire(name, { wait: '30s', lease: '60s' });
    await fixture().listening(name);
    // It has asked again since it listens, so only a message or the heartbeat can tell it of the release.
    await until(async () => (await fixture().admin.zcard(waitingClients(name))) === 1, 3000, 'it waits on the server');
    proxy.blackhole();
    const served = settled(async () => fixture().history.note(await waiting));
    await hold.release();
    return { proxy, waiter, holder, served: await served };
  };

  it('is noticed by the heartbeat without a near safety poll', async () => {
    const { served } = await serveDeaf('f28:heartbeat', { safetyPoll: '1h' });
    expectWithin(served, HEARTBEAT + DEADLINE);
    await expect(served.value?.release()).resolves.toBe('released');
  });

  it('is noticed earlier by the safety poll', async () => {
    const { served } = await serveDeaf('f28:poll', { safetyPoll: POLL });
    expectWithin(served, POLL + DEADLINE);
    await expect(served.value?.release()).resolves.toBe('released');
  });

  it('leaves waiters polling as long as it lasts, and woken by messages afterwards', async () => {
    const { proxy, waiter, holder, served } = await serveDeaf('f28:heal', { safetyPoll: '1h' });
    await served.value?.release();
    // The subscriber hears nothing now, not even the confirmation of a subscription.
    const first = fixture().history.note(await holder.locks.acquire('f28:heal', { lease: '60s' }));
    const polled = settled(() => waiter.locks.acquire('f28:heal', { wait: '30s', lease: '60s' }));
    await first.release();
    const { value } = await polled;
    expectWithin(await polled, 500 + 2 * DEADLINE);
    await expect(value?.release()).resolves.toBe('released');

    proxy.heal();
    const second = fixture().history.note(await holder.locks.acquire('f28:heal', { lease: '60s' }));
    const waiting = waiter.locks.acquire('f28:heal', { wait: '30s', lease: '60s' });
    await fixture().listening('f28:heal');
    const heard = settled(async () => fixture().history.note(await waiting));
    await second.release();
    expectWithin(await heard, 100);
    await expect((await heard).value?.release()).resolves.toBe('released');
  });
});
