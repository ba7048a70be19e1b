import { AsyncMutex } from '../../lib/concurrency.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';

/**
 * Rows PB-04 to PB-06, about the queue of the owners of one lock inside a process. PB-07 is a race of threads, which
 * one event loop does not have.
 */
describe('Turns', () => {
  const scheduler = new MonotonicScheduler(new ManualClock(), () => {});
  const limit = (signal: AbortSignal): WaitLimit => new WaitLimit(scheduler, Infinity, [signal]);

  it('PB-04 are granted when acquisition and release coincide, repeatedly', async () => {
    const turns = new AsyncMutex();
    let end = await turns.lock();
    for (let round = 0; round < 10_000; round++) {
      const next = turns.lock();
      end();
      end = await next;
    }
    end();
    expect(turns.isIdle).toBe(true);
  });

  it('PB-05 skip waiters that gave up', async () => {
    const [turns, giveUp] = [new AsyncMutex(), new AbortController()];
    const end = await turns.lock();
    const abandoned = turns.lock(limit(giveUp.signal));
    giveUp.abort('enough');
    await expect(abandoned).resolves.toEqual({ cause: 'aborted', reason: 'enough' });
    const next = turns.lock();
    end();
    (await next)();
    expect(turns.isIdle).toBe(true);
  });

  it('PB-06 keep nothing of 100 000 waiters that gave up', async () => {
    const [turns, giveUp] = [new AsyncMutex(), new AbortController()];
    const end = await turns.lock();
    const abandoned = Promise.all(Array.from({ length: 100_000 }, () => turns.lock(limit(giveUp.signal))));
    giveUp.abort();
    await abandoned;
    end();
    expect(turns.isIdle).toBe(true);
  });
});
