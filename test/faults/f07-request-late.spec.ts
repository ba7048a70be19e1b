import { LockUnavailableError } from '../../lib/errors.js';
import { type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { scriptExecutions } from '../servers/redis/script-executions.js';
import { executions, expectWithin, settled, watchKey } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, RECONNECT, useServerFixture } from './server-fixture.js';

/** A lease that cannot end during a test, so a lock that is soon free was undone. */
const LONG = '60s';

describe('F7: the client gives up, and the request arrives later', () => {
  const fixture = useServerFixture();

  it('is not sent when the connection is ready too late', async () => {
    let stalled = 0;
    const scheduler: Scheduler = {
      now: () => systemScheduler.now() + stalled,
      schedule: (ms, task, options) => systemScheduler.schedule(ms, task, options),
    };
    const client = fixture().open(undefined, { scheduler });
    const attempt = settled(() => client.locks.tryAcquire('f7:unsent', { lease: LONG }));
    // The event loop stood still while the client connected. It handles the connection before any timer.
    stalled = DEADLINE;
    const { error } = await attempt;
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(error).toMatchObject({ outcome: 'not-sent' });
    const [, within = ''] = /within (\d+) ms: it has not answered yet/.exec(String(error)) ?? [];
    // Some of the time had passed before the wait for the connection began.
    expect(Number(within)).toBeGreaterThan(DEADLINE / 2);
    expect(Number(within)).toBeLessThanOrEqual(DEADLINE);
    await expect(fixture().admin.exists('f7:unsent')).resolves.toBe(0);
  });

  it('is refused by the server as late', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    const { admin } = fixture();
    const before = { granted: await executions(admin, 'hset'), asked: await scriptExecutions(admin) };
    proxy.delay(3 * DEADLINE, 'request');
    const attempt = await settled(() => client.locks.tryAcquire('f7:late', { lease: LONG }));
    expect(attempt.error).toBeInstanceOf(LockUnavailableError);
    expect(attempt.error).toMatchObject({ outcome: 'unknown' });
    expectWithin(attempt, DEADLINE + 100);
    // The acquire has arrived, and so has the first release that undoes it.
    await until(async () => (await scriptExecutions(admin)) >= before.asked + 2, 10 * DEADLINE, 'it arrives');
    expect(await executions(admin, 'hset')).toBe(before.granted);
    await expect(admin.exists('f7:late')).resolves.toBe(0);
  });

  it('is no grant when only the reply is late, and is undone', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    // Until the client has given up: a reply that it reads counts, however long its event loop stood still.
    proxy.hold('reply');
    const seen = watchKey(fixture().admin, 'f7:reply');
    const attempt = await settled(() => client.locks.tryAcquire('f7:reply', { lease: LONG }));
    expect(attempt.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(attempt, DEADLINE + 100);
    await until(async () => (await fixture().admin.exists('f7:reply')) === 0, 2 * DEADLINE, 'the ghost is gone');
    proxy.heal();
    const { longest, endless } = await seen();
    expect(longest).toBeGreaterThan(0);
    expectWithin(attempt, 2 * DEADLINE, longest);
    expect(endless).toBe(false);
  });

  it('waits no longer than its limit, and is granted soon after the delay is over', async () => {
    const { client, proxy } = await fixture().openBehindProxy();
    proxy.delay(3 * DEADLINE, 'request');
    const attempt = await settled(() => client.locks.acquire('f7:wait', { wait: 1000, lease: LONG }));
    expect(attempt.error).toBeInstanceOf(LockUnavailableError);
    expectWithin(attempt, 1000 + DEADLINE + 100);
    proxy.heal();
    const next = await settled(() => client.locks.acquire('f7:wait', { wait: '10s', lease: LONG }));
    expectWithin(next, RECONNECT + 2 * DEADLINE + 500);
    const hold = fixture().history.note(next.value ?? null);
    await expect(fixture().admin.hgetall('f7:wait')).resolves.toEqual({ [hold?.owner ?? 'nobody']: '1' });
    // Earlier requests that are still on their way find the hold of another owner and leave it.
    await expect(hold?.release()).resolves.toBe('released');
    await expect(fixture().admin.exists('f7:wait')).resolves.toBe(0);
  });

  it('is either granted or leaves nothing, if request or reply come just in time', async () => {
    const delays = Array.from({ length: 12 }, (_, index) => DEADLINE - 30 + 5 * index);
    await Promise.all(
      delays.map(async (delay, index) => {
        const { client, proxy } = await fixture().openBehindProxy();
        const name = `f7:edge:${delay}`;
        proxy.delay(delay, index % 2 === 0 ? 'request' : 'reply');
        const attempt = await settled(() => client.locks.tryAcquire(name, { lease: LONG }));
        proxy.heal();
        expect(attempt.value !== undefined || attempt.error instanceof LockUnavailableError).toBe(true);
        await attempt.value?.release();
        const gone = async () => (await fixture().admin.exists(name)) === 0;
        await until(gone, 2 * DEADLINE, `the ghost of ${name} is gone`);
        // The state is final, because the request cannot arrive any more.
        await client.connected();
        expect(await gone()).toBe(true);
      }),
    );
  });
});
