import { ManualClock } from '../../lib/testing/manual-clock.js';
import { SteadyScheduler } from '../../lib/time/steady-scheduler.js';
import { Stopwatch } from '../../lib/time/stopwatch.js';
import { Lease, type LossReason } from '../../lib/watchdog/lease.js';

describe('A lease in doubt', () => {
  it('ends although what is left of it is too little to move the clock', async () => {
    const clock = new ManualClock();
    // From here on a step of the clock is 1/256 ms, and the deadline lies between two of them.
    await clock.advance(2 ** 44);
    const scheduler = new SteadyScheduler(clock, () => {});
    const losses: LossReason[] = [];
    const lease = new Lease(scheduler, new Stopwatch(scheduler), 101, { onLost: (reason) => void losses.push(reason) });
    lease.doubt();
    await clock.advance(88);
    expect(losses).toEqual([]);
    await clock.advance(2);
    expect(losses).toEqual(['lease-over']);
    expect(clock.pending).toBe(0);
  });
});
