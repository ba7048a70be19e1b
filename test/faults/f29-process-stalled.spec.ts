import { LockLostError } from '../../lib/errors.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { Worker } from '../servers/worker/worker.js';
import type { api } from './fixtures/locker.worker.js';
import { expectWithin, settled } from './observe.js';
import { until } from '../kit/until.js';
import { DEADLINE, LEASE, POLL, useServerFixture } from './server-fixture.js';
import { itWritesAtOnce } from '../kit/it-writes-at-once.js';

/** Milliseconds on a clock that all processes of the machine share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Blocks this process. */
const block = (ms: number): void => {
  const start = now();
  while (now() < start + ms);
};

/** Lets pending calls send their requests, but reads no reply. */
const withoutLookingAtSockets = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

describe('I4: a process that does not stall', () => {
  const fixture = useServerFixture();

  /** The end of the lock on the clock of the server, which is that of this machine, ms. */
  const endOnServer = async (name: string): Promise<number> => {
    const replies = await fixture().admin.multi().time().pttl(name).exec();
    const [[, [seconds, micros]], [, remaining]] = replies as [[null, [string, string]], [null, number]];
    return Number(seconds) * 1000 + Number(micros) / 1000 + remaining;
  };

  it.each([100, 300, 1000])('sees the end of a lease of %i ms at its local deadline', async (lease) => {
    const { locks } = fixture().open();
    await (await locks.acquire('i4')).release();
    const deadline = lease * 0.98 - Math.min(20, lease / 10);
    const sent = performance.now();
    const hold = fixture().history.note(await locks.acquire('i4', { lease }));
    const granted = performance.now();
    const end = endOnServer('i4');
    const told = await settled(() => new Promise((resolve) => hold.signal.addEventListener('abort', resolve)));
    const [aborted, abortedAt] = [performance.now(), Date.now()];
    expect(abortedAt - told.longestStall).toBeLessThan(await end);
    expect(aborted - sent).toBeGreaterThanOrEqual(deadline - 1);
    expectWithin(told, deadline + 25, aborted - granted);
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    await expect(hold.release()).resolves.toBe('expired');
  });
});

describe('F29: a process stalls for two leases while it holds', () => {
  const fixture = useServerFixture();

  const startWorker = async () => {
    const worker = await Worker.start<typeof api>(new URL('./fixtures/locker.worker.ts', import.meta.url), {
      args: [fixture().server.url],
    });
    fixture().after(async () => void (await worker.stop()));
    return worker;
  };

  it('with a blocked event loop: assertHeld throws in the first turn, before any timer or reply', async () => {
    const client = fixture().open();
    const successor = await startWorker();
    const watched = fixture().history.note(await client.locks.acquire('f29:watched'));
    const leased = fixture().history.note(await client.locks.acquire('f29:leased', { lease: LEASE }));
    const granted = [
      successor.call('acquire', 'f29:watched', { wait: '30s' }),
      successor.call('acquire', 'f29:leased', { wait: '30s' }),
    ];
    await fixture().listening('f29:watched');
    await fixture().listening('f29:leased');
    watched.assertHeld();
    leased.assertHeld();

    const start = now();
    block(2 * LEASE);
    expect(() => watched.assertHeld()).toThrow(LockLostError);
    expect(() => leased.assertHeld()).toThrow(LockLostError);
    expect([watched.signal.aborted, leased.signal.aborted]).toEqual([true, true]);

    // Both locks were granted to another process while this one was blocked.
    for (const at of await Promise.all(granted)) expect(at).toBeLessThan(start + 2 * LEASE);
    await expect(watched.release()).resolves.toBe('expired');
    await expect(leased.release()).resolves.toBe('expired');
    await expect(successor.call('release', 'f29:watched')).resolves.toBe('released');
    await expect(successor.call('release', 'f29:leased')).resolves.toBe('released');
  });

  itWritesAtOnce(
    'D71: with a blocked event loop during an attempt: a reply that has arrived is a grant, also after its deadline',
    async () => {
      const client = fixture().open(undefined, { scheduler: systemScheduler });
      await client.connected();
      const sent = performance.now();
      const attempt = client.locks.tryAcquire('f29:try', { lease: '60s' });
      await withoutLookingAtSockets();
      block(2 * DEADLINE);
      const hold = await attempt;
      if (!hold) throw new Error('The lock was free');
      fixture().history.note(hold);
      // Its lease counts from the request: 98 % of it, less 20 ms.
      expect(hold.remaining).toBeLessThanOrEqual(58_780 - 2 * DEADLINE);
      expect(hold.remaining).toBeGreaterThanOrEqual(58_780 - 1 - (performance.now() - sent));
      await expect(hold.release()).resolves.toBe('released');
    },
  );

  itWritesAtOnce(
    'D71: with a blocked event loop during an attempt: a reply most of whose lease is over is no grant',
    async () => {
      const client = fixture().open(undefined, { scheduler: systemScheduler });
      await client.connected();
      const attempt = settled(() => client.locks.tryAcquire('f29:spent', { lease: 3 * DEADLINE }));
      await withoutLookingAtSockets();
      block(2 * DEADLINE);
      expect((await attempt).error).toMatchObject({ code: 'LOCK_UNAVAILABLE', outcome: 'refused' });
      const gone = async () => (await fixture().admin.exists('f29:spent')) === 0;
      await until(gone, 1000, 'what it did is undone');
    },
  );

  it('D71: with an event loop blocked between two replies: the second is a grant as well', async () => {
    const client = fixture().open(undefined, { scheduler: systemScheduler });
    await client.connected();
    const blockOnce = (): void => block(2 * DEADLINE);
    const before = fixture().admin.ping().then(blockOnce);
    const attempt = client.locks.tryAcquire('f29:second', { lease: '60s' });
    await withoutLookingAtSockets();
    // All replies arrive during this block. They are read one after the other, before any timer has its turn.
    block(50);
    await before;
    await expect((await attempt)?.release()).resolves.toBe('released');
  });

  itWritesAtOnce(
    'D71: with 12,000 callers in a turn that lasts longer than a deadline: all get their locks',
    async () => {
      const client = fixture().open(undefined, {
        scheduler: systemScheduler,
        // A waiter gives up its turn after ten of them: on a machine as busy as that, it takes longer.
        commandTimeout: 2000,
        renewedLease: 30_000,
      });
      await client.connected();
      const start = performance.now();
      const asked = Array.from({ length: 12_000 }, (_, index) =>
        client.locks.acquire(`f29:many:${index}`, { lease: '60s' }),
      );
      block(Math.max(0, 5000 - (performance.now() - start)));
      await Promise.all(asked);
      expect(client.events.filter(({ type }) => type === 'unavailable')).toEqual([]);
    },
  );

  it('as a stopped process: it has no effect once another owner was granted', async () => {
    const stalled = await startWorker();
    const { locks } = fixture().open();
    const names = ['f29:stop:watched', 'f29:stop:leased'] as const;
    await stalled.call('acquire', names[0], {});
    await stalled.call('acquire', names[1], { lease: LEASE });
    for (const name of names) await stalled.call('act', name);
    const next = names.map(async (name) => {
      const hold = fixture().history.note(await locks.acquire(name, { wait: '30s' }));
      return { hold, at: now() };
    });
    for (const name of names) await fixture().listening(name);
    await until(async () => (await stalled.call('state', names[0])).lastActed !== undefined, 1000, 'it acts');

    const stopped = now();
    stalled.kill('SIGSTOP');
    const granted = await Promise.all(next);
    for (const { at } of granted) expect(at).toBeLessThan(stopped + 3 * (LEASE + POLL));
    await until(() => now() > stopped + 2 * LEASE, 3 * LEASE, 'two leases');
    stalled.kill('SIGCONT');

    for (const [index, name] of names.entries()) {
      await until(async () => (await stalled.call('state', name)).aborted, 1000, `${name} is given up`);
      const { lastActed = Infinity } = await stalled.call('state', name);
      expect(lastActed).toBeLessThan(granted[index]?.at ?? 0);
      await expect(stalled.call('release', name)).resolves.toBe('expired');
      await expect(granted[index]?.hold.release()).resolves.toBe('released');
    }
  });
});
