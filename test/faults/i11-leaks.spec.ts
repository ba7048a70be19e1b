import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hold } from '../../lib/holds/hold.js';
import { type Scheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { repeatedly, settled } from './observe.js';
import { until } from '../kit/until.js';
import { LEASE, useServerFixture } from './server-fixture.js';

const LEASES = 2000;

/** The system's clock and timers, counted. */
class CountingScheduler implements Scheduler {
  readonly pending = new Set<object>();
  readonly now = (): number => systemScheduler.now();
  readonly wallNow = (): number => Date.now();

  schedule(ms: number, task: () => void, options?: { readonly keepAlive?: boolean }) {
    const entry = {};
    this.pending.add(entry);
    const run = (): void => {
      this.pending.delete(entry);
      task();
    };
    const scheduled = systemScheduler.schedule(ms, run, options);
    return {
      cancel: () => {
        this.pending.delete(entry);
        scheduled.cancel();
      },
    };
  }
}

describe('I11: nothing is left behind', () => {
  const fixture = useServerFixture();

  it('after 2,000 leases of every sort: no key, timer, listener or subscription', async () => {
    const { admin } = fixture();
    const scheduler = new CountingScheduler();
    const client = fixture().open(undefined, { scheduler });
    const other = fixture().open();
    const { locks, runtime } = client;
    const shared = new AbortController();
    const { signal } = shared;
    const released = async (hold: Hold | null): Promise<void> => void (await hold?.release());
    const kinds: ((name: string) => Promise<unknown>)[] = [
      async (name) => released(await locks.acquire(name, { signal })),
      async (name) => released(await locks.acquire(name, { signal, lease: '5s', wait: '30s' })),
      async (name) => released(await locks.tryAcquire(name, { signal })),
      (name) => locks.withLock(name, { signal, wait: '30s' }, () => locks.withLock(name, { signal }, () => sleep(0))),
      (name) => locks.runInScope(async () => released(await locks.acquire(name, { signal, wait: '30s' }))),
      // Waits that end without a lock.
      (name) => locks.acquire(name, { signal, wait: 1 }).then(released),
      (name) => locks.acquire(name, { signal: AbortSignal.any([signal, AbortSignal.timeout(2)]) }).then(released),
      (name) => other.locks.withLock(name, { wait: '30s' }, () => sleep(0)),
      // A lease that ends by itself.
      (name) => locks.acquire(name, { signal, lease: 20, wait: '30s' }).then((hold) => hold.signal),
    ];
    const endless: string[] = [];
    const watch = repeatedly(async () => {
      const names = await admin.keys('*');
      const lives = await Promise.all(names.map((name) => admin.pttl(name)));
      endless.push(...names.filter((_, index) => lives[index] === -1));
    }, 50);
    for (let done = 0; done < LEASES; done += 100) {
      const numbers = Array.from({ length: Math.ceil(100 / kinds.length) }, (_, index) => `i11:${index % 7}`);
      await Promise.allSettled(numbers.flatMap((name) => kinds.map((kind) => kind(name))));
    }
    await watch();
    expect(endless).toEqual([]);
    await until(async () => (await admin.keys('*')).length === 0, 1000, 'the last leases end');
    // A queue without waiters stays for some milliseconds longer, because it remembers whose turn is next.
    await until(() => runtime.acquirer.contended === 0, 50, 'nobody contends');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(getEventListeners(runtime.shutdown, 'abort').length).toBeLessThanOrEqual(1);
    await until(async () => (await admin.pubsub('CHANNELS')).length === 0, 1000, 'nobody listens');
    await until(() => scheduler.pending.size === 0, 1000, 'no timer is set');
    // Expired holds are forgotten, too, without a release.
    expect(runtime.grants.size).toBe(0);
  });

  it('after closing during a fault: no timer stays', async () => {
    const scheduler = new CountingScheduler();
    const { client, proxy } = await fixture().openBehindProxy({ scheduler });
    const { locks } = client;
    const held = await locks.acquire('i11:held');
    const leased = await locks.acquire('i11:leased', { lease: '60s' });
    const waiting = settled(() => locks.acquire('i11:leased', { wait: Infinity }));
    await fixture().listening('i11:leased');
    proxy.hold();
    const lost = settled(() => locks.tryAcquire('i11:ghost', { lease: '60s' }));
    const release = settled(() => leased.release());
    expect((await lost).error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect((await release).error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await client.close();
    expect((await waiting).error).toMatchObject({ code: 'LOCK_SHUTDOWN' });
    // One timer may stay. It reports the end of the hold, which is not renewed any more.
    await until(() => scheduler.pending.size <= 1, 2 * LEASE, 'no timer is set');
    await until(() => held.signal.aborted, LEASE, 'the holder is told');
    expect(scheduler.pending.size).toBe(0);
  });
});
