import { withDeadline } from '../../lib/backend/connection/with-deadline.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { SteppedLoop } from '../kit/stepped-loop.js';

const DEADLINE = 100;

/** A command whose reply the test gives, in a loop that it may block. */
const open = () => {
  const loop = new SteppedLoop();
  const scheduler = new MonotonicScheduler(loop, (error) => {
    throw error;
  });
  let reply = (_value: string): void => {};
  const command = new Promise<string>((resolve) => void (reply = resolve));
  const late: string[] = [];
  const seen: string[] = [];
  withDeadline(command, DEADLINE, scheduler, {
    name: 'n',
    read: (value, _now, waited, isOverdue) => `${value} after ${waited} ms${isOverdue ? ', overdue' : ''}`,
    late: (value) => void late.push(value),
  }).then(
    (value) => seen.push(value),
    (error: unknown) => seen.push(String(error)),
  );
  return { loop, seen, late, reply: (value: string) => reply(value) };
};

const NO_REPLY = 'LockUnavailableError: Redis did not answer within 100 ms';

describe('A command with a deadline', () => {
  it('D71: is answered by a reply that has arrived while the event loop was blocked beyond the deadline', async () => {
    const { loop, seen, late, reply } = open();
    loop.block(5000);
    await loop.turn(() => reply('yes'));
    await loop.turn();
    expect([seen, late]).toEqual([['yes after 5000 ms, overdue'], []]);
    expect(loop.pending).toBe(0);
  });

  it('D71: fails when the sockets were read after the deadline and had no reply', async () => {
    const { loop, seen } = open();
    loop.block(5000);
    await loop.turn();
    expect(seen).toEqual([NO_REPLY]);
  });

  it('drops a reply that comes when the failure was reported', async () => {
    const { loop, seen, late, reply } = open();
    loop.block(DEADLINE);
    await loop.turn();
    await loop.turn(() => reply('too late'));
    expect([seen, late]).toEqual([[NO_REPLY], ['too late']]);
  });

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
