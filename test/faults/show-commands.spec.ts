import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { expectWithin, executions, sentCommands, settled } from './observe.js';
import { until } from '../kit/until.js';
import { useServerFixture } from './server-fixture.js';

/** The defaults of the module. */
const DEFAULTS = { renewedLease: '30s', commandTimeout: '1s', safetyPoll: '5s' } as const;

/** The commands that clients sent during `work`, without those that reset and read the counters. */
const commandsOf = async (admin: Redis, work: () => Promise<unknown>): Promise<Record<string, number>> => {
  await admin.config('RESETSTAT');
  await work();
  const sent = Object.entries(await sentCommands(admin));
  // Before Redis 7 the counters do not tell subcommands apart.
  return Object.fromEntries(sent.filter(([command]) => command !== 'config|resetstat' && command !== 'config'));
};

const scriptsIn = (sent: Readonly<Record<string, number>>): number => (sent['eval'] ?? 0) + (sent['evalsha'] ?? 0);

describe('Show: the cost of locks in commands', () => {
  const fixture = useServerFixture();

  it('an uncontended acquire and its release are exactly two', async () => {
    const { locks } = fixture().open(undefined, DEFAULTS);
    const { admin } = fixture();
    // Also with a re-entry: the first call of a script on a connection is EVAL.
    await locks.withLock('warm-up', () => locks.withLock('warm-up', () => {}));
    const pairs = {
      'with a watchdog': () => locks.acquire('two'),
      'with a lease': () => locks.acquire('two', { lease: '10s' }),
      'without a wait': () => locks.tryAcquire('two'),
      'with a signal': () => locks.acquire('two', { signal: new AbortController().signal }),
    };
    for (const [how, acquire] of Object.entries(pairs)) {
      const sent = await commandsOf(admin, async () => {
        await (await acquire())?.release();
      });
      expect({ how, sent }).toEqual({ how, sent: { evalsha: 2 } });
      // The script that acquires reads the server's time; more would have been sent by a client.
      expect(await executions(admin, 'time')).toBe(1);
    }
    const block = await commandsOf(admin, () => locks.withLock('two', () => sleep(1)));
    expect(block).toEqual({ evalsha: 2 });
    const again = await commandsOf(admin, () => locks.withLock('two', () => locks.withLock('two', () => sleep(1))));
    expect(again).toEqual({ evalsha: 4 });
  });

  it('a permit that is acquired and released costs four, of which two are awaited', async () => {
    const { locks } = fixture().open(undefined, DEFAULTS);
    const { admin } = fixture();
    const semaphore = locks.getSemaphore('permits');
    // Waits until the client has acknowledged every answer, so that no marker of a request stays.
    const markersForgotten = () =>
      until(async () => (await admin.keys('*:{permits}:*')).length === 0, 1000, 'it is told');
    await semaphore.trySetPermits(1);
    await markersForgotten();
    const sent = await commandsOf(admin, async () => {
      await semaphore.acquire();
      await semaphore.release();
      await markersForgotten();
    });
    expect(scriptsIn(sent)).toBe(4);
  });

  it('1,000 waiters on one held lock: at most two per second', async () => {
    const { admin } = fixture();
    const holder = fixture().open(undefined, DEFAULTS);
    const waiter = fixture().open(undefined, DEFAULTS);
    const hold = await holder.locks.acquire('thousand');
    const abort = new AbortController();
    const waits = Array.from({ length: 1000 }, () =>
      settled(() => waiter.locks.acquire('thousand', { wait: Infinity, signal: abort.signal })),
    );
    await fixture().listening('thousand');
    const seconds = 8;
    const sent = await commandsOf(admin, () => sleep(seconds * 1000));
    const total = Object.values(sent).reduce((sum, calls) => sum + calls, 0);
    process.stdout.write(`1,000 waiters: ${total} commands in ${seconds} s: ${JSON.stringify(sent)}\n`);
    expect(total).toBeGreaterThan(0);
    expect(total / seconds).toBeLessThanOrEqual(2);

    abort.abort();
    const outcomes = await Promise.all(waits);
    expect(outcomes.filter(({ error }) => String(error).startsWith('LockAbortedError'))).toHaveLength(1000);
    expect(waiter.runtime.acquirer.contended).toBe(0);
    await fixture().listening('thousand', 0);
    await expect(admin.hgetall('thousand')).resolves.toEqual({ [hold.owner]: '1' });
    await hold.release();
  });

  it('1,000 waiters of one process are served by two commands each, without a subscription each', async () => {
    const { admin } = fixture();
    const holder = fixture().open(undefined, DEFAULTS);
    const waiter = fixture().open(undefined, DEFAULTS);
    const hold = await holder.locks.acquire('thousand');
    const waits = Array.from({ length: 1000 }, () => waiter.locks.withLock('thousand', { wait: '60s' }, () => {}));
    await fixture().listening('thousand');
    const sent = await commandsOf(admin, async () => {
      await hold.release();
      await Promise.all(waits);
    });
    process.stdout.write(`1,000 grants handed on: ${JSON.stringify(sent)}\n`);
    expect(scriptsIn(sent)).toBeLessThanOrEqual(2 * 1000 + 1000);
    expect(sent['subscribe'] ?? 0).toBe(0);
  });
});

describe('I8: a release wakes a waiter of another process', () => {
  const fixture = useServerFixture();

  it('within 50 ms at the 99th percentile, without any poll', async () => {
    const clients = [fixture().open(undefined, { safetyPoll: '1h' }), fixture().open(undefined, { safetyPoll: '1h' })];
    const delays: number[] = [];
    const run = await settled(async () => {
      let [holder, waiter] = clients;
      let hold = await holder?.locks.acquire('i8', { lease: '60s' });
      for (let round = 0; round < 200; round++) {
        const waiting = waiter?.locks.acquire('i8', { wait: '30s', lease: '60s' });
        await until(async () => (await fixture().admin.zcard('{i8}:waiters')) === 1, 3000, 'the waiter has its entry');
        const released = performance.now();
        await hold?.release();
        hold = await waiting;
        delays.push(performance.now() - released);
        [holder, waiter] = [waiter, holder];
      }
      await hold?.release();
    });
    expect(run.error).toBeUndefined();
    const p99 = delays.toSorted((a, b) => a - b)[197] ?? Infinity;
    process.stdout.write(`A release wakes a waiter: p99 ${p99.toFixed(1)} ms\n`);
    expectWithin(run, 50, p99);
  });
});
