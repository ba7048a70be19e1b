import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { track } from '../kit/time.js';

describe('A pause of a caller that waits', () => {
  const open = (wait: number) => {
    const clock = new ManualClock();
    const [own, shutdown] = [new AbortController(), new AbortController()];
    const limit = new WaitLimit(new MonotonicScheduler(clock, () => {}), wait, [own.signal]).withShutdown(
      shutdown.signal,
    );
    return { clock, own, shutdown, limit };
  };

  it.each([
    ['by itself', 1000, 400],
    ['with the wait', 300, 300],
  ])('ends %s, and leaves no timer behind', async (_, wait, end) => {
    const { clock, limit } = open(wait);
    const pause = track(limit.pause(400));
    await clock.advance(end - 1);
    expect(pause.settled).toBe(false);
    await clock.advance(1);
    expect(pause.settled).toBe(true);
    // The timer that all deadlines share goes off once more.
    await clock.advance(wait);
    expect(clock.pending).toBe(0);
  });

  it.each(['own', 'shutdown'] as const)('ends at once when the wait is aborted, by the signal %s', async (which) => {
    const opened = open(1000);
    const pause = track(opened.limit.pause(400));
    opened[which].abort();
    await opened.clock.advance(0);
    expect(pause.settled).toBe(true);
    const late = track(opened.limit.pause(400));
    await opened.clock.advance(0);
    expect(late.settled).toBe(true);
    await opened.clock.advance(1000);
    expect(opened.clock.pending).toBe(0);
  });
});
