import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { Lease, LeaseCommand, type LossReason, safeDuration } from '../../lib/watchdog/lease.js';

describe('The end of a lease after a failed renewal', () => {
  it('comes although the rest is too short to move the clock', async () => {
    const clock = new ManualClock();
    // From here on a step of the clock is 1/256 ms, and the deadline lies between two of them.
    await clock.advance(2 ** 44);
    const scheduler = new MonotonicScheduler(clock, () => {});
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

describe('The deadline of a lease', () => {
  const open = async () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, () => {});
    const lease = new Lease(scheduler, new Stopwatch(scheduler), 30_000, { onLost: () => {} });
    const request = (ms: number): LeaseCommand => {
      const command = new LeaseCommand(new Stopwatch(scheduler), ms);
      lease.request(command);
      return command;
    };
    await clock.advance(10_000);
    return { clock, lease, request };
  };

  it('D1: is that of a shorter command as soon as the command is requested', async () => {
    const { lease, request } = await open();
    request(2000);
    expect(lease.remaining).toBe(safeDuration(2000));
  });

  it('D1: is not moved back by the reply to a renewal after which a shorter command was requested', async () => {
    const { clock, lease, request } = await open();
    const renewal = request(30_000);
    // The command is requested in the same millisecond, and its lease does not end before that of the grant.
    const hold = request(21_000);
    lease.granted(renewal, renewal.since);
    expect(lease.remaining).toBe(safeDuration(21_000));
    await clock.advance(100);
    lease.granted(hold, hold.since);
    expect(lease.remaining).toBe(safeDuration(21_000) - 100);
  });

  it('D1: is the earliest of all commands that were requested after the one that is answered', async () => {
    const { lease, request } = await open();
    const renewal = request(30_000);
    request(25_000);
    const last = request(60_000);
    lease.granted(renewal, renewal.since);
    expect(lease.remaining).toBe(safeDuration(25_000));
    lease.granted(last, last.since);
    // The outcome of the second command is unknown, and the server may still execute it.
    expect(lease.remaining).toBe(safeDuration(25_000));
  });

  it.each(['granted', 'unanswered'] as const)(
    'D1: is never later than that of an earlier command, be it %s after a longer one or open, since it may be executed last',
    async (end) => {
      const { lease, request } = await open();
      const renewal = request(30_000);
      const extension = request(60_000);
      lease.granted(extension, extension.since);
      // The renewal reached the server too late. It is sent once more, perhaps after the extension.
      expect(lease.remaining).toBe(safeDuration(30_000));
      lease[end](renewal, renewal.since);
      expect(lease.remaining).toBe(safeDuration(30_000));
    },
  );

  it('D1: is within that of an unanswered renewal until a command is granted that was requested after it ended', async () => {
    const { lease, request } = await open();
    const renewal = request(30_000);
    const hold = request(60_000);
    lease.unanswered(renewal);
    // The server may have executed the renewal after the hold.
    lease.granted(hold, hold.since);
    expect(lease.remaining).toBe(safeDuration(30_000));
    const next = request(60_000);
    lease.granted(next, next.since);
    expect(lease.remaining).toBe(safeDuration(60_000));
  });
});

describe('The time for which the server may still keep a lease', () => {
  const open = () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, () => {});
    const lease = new Lease(scheduler, new Stopwatch(scheduler), 30_000, { onLost: () => {} });
    const request = (ms: number): LeaseCommand => {
      const command = new LeaseCommand(new Stopwatch(scheduler), ms);
      lease.request(command);
      return command;
    };
    return { clock, lease, request };
  };

  it('is counted from the grant, and ends with the longest command requested, whatever became of it', async () => {
    const { clock, lease, request } = open();
    expect(lease.remainingOnServer).toBe(30_000);
    await clock.advance(10_000);
    const longer = request(60_000);
    expect(lease.remainingOnServer).toBe(60_000);
    lease.unanswered(longer);
    const shorter = request(5000);
    lease.granted(shorter, shorter.since);
    await clock.advance(20_000);
    expect(lease.remainingOnServer).toBe(40_000);
  });

  it('goes on after the lease is lost or released', async () => {
    for (const end of [(lease: Lease) => lease.lose('gone'), (lease: Lease) => lease.end()]) {
      const { clock, lease } = open();
      await clock.advance(10_000);
      end(lease);
      expect([lease.remaining, lease.remainingOnServer]).toEqual([0, 20_000]);
    }
  });
});

describe('The deadline of a lease while the wall clock is set', () => {
  const open = () => {
    const clock = new ManualClock();
    let ahead = 0;
    const scheduler = new MonotonicScheduler(
      { now: () => clock.now(), wallNow: () => clock.now() + ahead, schedule: clock.schedule.bind(clock) },
      () => {},
    );
    const lease = new Lease(scheduler, new Stopwatch(scheduler), 2000, { onLost: () => {} });
    const request = (ms: number): LeaseCommand => {
      const command = new LeaseCommand(new Stopwatch(scheduler), ms);
      lease.request(command);
      return command;
    };
    return { clock, lease, request, setAhead: (ms: number) => (ahead = ms) };
  };

  type Opened = ReturnType<typeof open>;

  it.each<[string, (opened: Opened) => void]>([
    ['in flight', ({ request }) => void request(1000)],
    ['that was lost', ({ lease, request }) => lease.unanswered(request(1000))],
    [
      'that was answered before an earlier one',
      ({ lease, request }) => {
        const before = request(1700);
        const last = request(1000);
        lease.granted(last, last.since);
        lease.granted(before, before.since);
      },
    ],
    [
      'that was requested before one which is answered',
      ({ lease, request }) => {
        request(1000);
        const last = request(1700);
        lease.granted(last, last.since);
      },
    ],
  ])('is never behind that of a command %s, although it was when that was sent', async (_, command) => {
    const opened = open();
    const { clock, lease, setAhead } = opened;
    // By the wall clock the first lease ends before that of the command; by the monotonic clock it does not.
    setAhead(900);
    await clock.advance(100);
    command(opened);
    setAhead(0);
    expect(lease.remaining).toBeLessThanOrEqual(safeDuration(1000));
    await clock.advance(500);
    expect(lease.remaining).toBeLessThanOrEqual(safeDuration(1000) - 500);
    expect(lease.remaining).toBeGreaterThan(0);
  });

  it('is that of the last command alone once all were answered in their order', async () => {
    const { clock, lease, request, setAhead } = open();
    await clock.advance(100);
    setAhead(900);
    const command = request(1700);
    lease.granted(command, command.since);
    setAhead(0);
    expect(lease.remaining).toBe(safeDuration(1700));
  });
});
