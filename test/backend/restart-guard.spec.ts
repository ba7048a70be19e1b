import { RestartGuard, type ServerIdentity } from '../../lib/backend/commands/restart-guard.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

const LENGTH = 30_000;
const OLD: ServerIdentity = { runId: 'a', replicationId: 'r', wasPromoted: false, uptime: 90_000 };

const guarded = () => {
  const clock = new ManualClock();
  const fail = (error: unknown): never => {
    throw error;
  };
  const guard = new RestartGuard(new MonotonicScheduler(clock, fail), LENGTH);
  const left = (): number => Number(guard.refusal('order:1')?.details['guardedFor'] ?? 0);
  return { clock, guard, left };
};

describe('The restart guard', () => {
  it('lets a server grant after an uptime longer than any lease', () => {
    const { guard, left } = guarded();
    guard.observe(OLD);
    expect(left()).toBe(0);
  });

  it('F10 waits for the rest of the longest lease after a start', async () => {
    const { clock, guard, left } = guarded();
    guard.observe({ ...OLD, uptime: 10_000 });
    expect(left()).toBe(20_000);
    await clock.advance(19_999);
    expect(left()).toBe(1);
    await clock.advance(1);
    expect(left()).toBe(0);
  });

  it('F10 waits for a whole lease when it finds the server restarted', async () => {
    const { clock, guard, left } = guarded();
    guard.observe(OLD);
    await clock.advance(5000);
    guard.observe({ ...OLD, runId: 'b', uptime: 0 });
    expect(left()).toBe(LENGTH);
  });

  it('F21 waits for a whole lease after the promotion of a known and of a new server', () => {
    const known = guarded();
    known.guard.observe(OLD);
    known.guard.observe({ ...OLD, replicationId: 's', wasPromoted: true });
    expect(known.left()).toBe(LENGTH);
    const met = guarded();
    met.guard.observe({ ...OLD, wasPromoted: true });
    expect(met.left()).toBe(LENGTH);
    const told = guarded();
    told.guard.observe(OLD);
    told.guard.promoted();
    expect(told.left()).toBe(LENGTH);
  });

  it('ignores a connection that was lost and came back', async () => {
    const { clock, guard, left } = guarded();
    guard.observe({ ...OLD, uptime: 10_000 });
    await clock.advance(15_000);
    guard.observe({ ...OLD, uptime: 25_000 });
    expect(left()).toBe(5000);
  });
});
