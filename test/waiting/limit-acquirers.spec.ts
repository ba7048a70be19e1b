import type { QueueOutcome } from '../../lib/backend/kinds/queued-lock.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import { LockEvents } from '../../lib/events/lock-events.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { memoryBackend } from '../kit/memory-backend.js';
import { LimitAcquirers } from '../../lib/waiting/limit-acquirers.js';

const open = () => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, () => {});
  const { limit: limits, pubSub } = memoryBackend(scheduler);
  const polling = { subscribed: 5000, unsubscribed: 1000 };
  const waiting = { pubSub, scheduler, polling, commandTimeout: 1000, maxQueue: 100, slot: 5000 };
  const acquirers = new LimitAcquirers({ ...waiting, limits, owners: new OwnerIds(), events: new LockEvents() });
  const acquire = async (limit: number, signal = new AbortController().signal): Promise<string> => {
    const asked = { what: 'Limit', name: 'n', template: undefined, limit: new WaitLimit(scheduler, 60_000, [signal]) };
    try {
      return await acquirers.of({ limit, isNumbered: false }, true).acquire(asked, 30_000, () => 'granted');
    } catch (error) {
      return error instanceof Error ? error.name : 'unknown';
    }
  };
  /** The numbers for which there is an acquirer. */
  const kept = (): number[] =>
    [...(Reflect.get(acquirers, 'ordered') as ReadonlyMap<string, unknown>).keys()].map((key) => Number.parseInt(key));
  return { clock, limits, acquirers, acquire, kept };
};

describe('The acquirers of fair limits', () => {
  it('D51: are kept while callers wait, and for no longer, whatever the numbers of permits', async () => {
    const { clock, acquirers, acquire, kept } = open();
    // Each caller finds as many permits in use as there were callers before it.
    for (let limit = 1; limit <= 50; limit += 1) await expect(acquire(limit)).resolves.toBe('granted');
    expect(kept()).toEqual([]);
    const abort = new AbortController();
    const waiting = [acquire(7, abort.signal), acquire(7, abort.signal), acquire(8, abort.signal)];
    await clock.advance(100);
    expect(kept()).toEqual([7, 8]);
    expect(acquirers.contended).toBe(2);
    abort.abort();
    await expect(Promise.all(waiting)).resolves.toEqual(Array.from({ length: 3 }, () => 'LockAbortedError'));
    await acquirers.settled();
    await clock.advance(0);
    expect(kept()).toEqual([]);
  });

  it('D51: are kept until a permit that came too late was given back', async () => {
    const { clock, limits, acquirers, acquire, kept } = open();
    let reply = (_reply: QueueOutcome): void => {};
    limits.queue = () => new Promise((resolve) => void (reply = resolve));
    let left = 0;
    let confirm = (): void => {};
    limits.leave = () => {
      left += 1;
      return new Promise((resolve) => void (confirm = resolve));
    };
    const abort = new AbortController();
    const waiting = acquire(7, abort.signal);
    await clock.advance(0);
    abort.abort();
    await expect(waiting).resolves.toBe('LockAbortedError');
    expect(kept()).toEqual([7]);
    let isSettled = false;
    const settled = acquirers.settled().then(() => (isSettled = true));
    reply({ outcome: 'waiting', holder: 'them:1', remaining: 1000, head: 'them:1', isMixed: false });
    await clock.advance(0);
    expect({ left, isSettled, kept: kept() }).toEqual({ left: 1, isSettled: false, kept: [7] });
    confirm();
    await settled;
    await clock.advance(0);
    expect(kept()).toEqual([]);
  });
});
