import { withDeadline } from '../../lib/backend/redis/connection/with-deadline.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';

describe('A command with a deadline', () => {
  it('D74: has had no reply if the server does not know its script, and that is read after the deadline', async () => {
    let now = 0;
    const clock = new ManualClock();
    // The event loop was blocked: the reply is read before the timer fires.
    const scheduler = new MonotonicScheduler({ now: () => now, schedule: clock.schedule.bind(clock) }, () => {});
    let fail = (_error: Error): void => {};
    const command = new Promise<string>((_, reject) => (fail = reject));
    const sentInstead: unknown[] = [];
    const outcome = withDeadline(command, 100, scheduler, {
      name: 'order:1',
      read: (reply) => reply,
      instead: (error) => void sentInstead.push(error),
    });
    now = 200;
    fail(Object.assign(new Error('NOSCRIPT No matching script. Please use EVAL.'), { name: 'ReplyError' }));
    await expect(outcome).rejects.toMatchObject({
      message: expect.stringContaining('Redis did not answer within 100 ms') as unknown,
      outcome: 'unknown',
    });
    expect(sentInstead).toEqual([]);
  });
});
