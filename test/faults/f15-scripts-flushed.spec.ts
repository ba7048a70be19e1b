import { executions, repeatedly } from './observe.js';
import { useServerFixture } from './server-fixture.js';
import type { Client } from '../kit/client.js';
import { systemScheduler } from '../../lib/time/scheduler.js';

const DURATION = 2500;
/** Time-outs that are long enough for a busy machine. */
const PATIENT = { renewedLease: '3s', commandTimeout: '2s' } as const;
/** Renewed once while the scripts are flushed, by the clock of the server: a busy machine has twice as long for that. */
const RENEWED = { ...PATIENT, renewedLease: '6s', scheduler: systemScheduler } as const;

describe('F15: the scripts are flushed every 50 ms under load', () => {
  const fixture = useServerFixture();

  it('does not fail any call', async () => {
    const { admin, history } = fixture();
    const clients = [1, 2, 3].map(() => fixture().open(undefined, PATIENT));
    const missing = async () => Number(/errorstat_NOSCRIPT:count=(\d+)/.exec(await admin.info('errorstats'))?.[1] ?? 0);
    const before = { missing: await missing(), evaluated: await executions(admin, 'eval') };
    const end = performance.now() + DURATION;
    const work = async ({ locks }: Client, name: string) => {
      while (performance.now() < end) {
        await locks.withLock(name, { wait: '20s' }, async (hold) => {
          history.note(hold);
          await locks.withLock(name, (inner) => inner.extend('5s'));
          await locks.getLock(name).remainingLease();
        });
        const tried = await locks.tryAcquire(name);
        await history.note(tried)?.release();
      }
    };
    const kept = history.note(await fixture().open(undefined, RENEWED).locks.acquire('f15:kept'));
    const stop = repeatedly(() => admin.script('FLUSH', 'SYNC'), 50);
    await Promise.all(clients.flatMap((client) => ['f15:a', 'f15:b', 'f15:c'].map((name) => work(client, name))));
    await admin.script('FLUSH', 'SYNC');
    await expect(fixture().open().locks.getLock('f15:a').forceRelease()).resolves.toBe(false);
    await stop();
    kept.assertHeld();
    await expect(kept.release()).resolves.toBe('released');
    expect(clients.flatMap(({ events }) => events)).toEqual([]);
    // The server forgot the scripts, and clients loaded them again.
    expect(await missing()).toBeGreaterThan(before.missing);
    expect(await executions(admin, 'eval')).toBeGreaterThan(before.evaluated);
  });
});
