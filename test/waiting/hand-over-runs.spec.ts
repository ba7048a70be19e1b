import { OwnerIds } from '../../lib/context/owner-ids.js';
import { LockEvents } from '../../lib/events/lock-events.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { HandOverAttempts, type HandOverLimits } from '../../lib/waiting/hand-over-attempts.js';
import type { Acquired } from '../../lib/waiting/lock-attempts.js';
import { HeldGrantingLock } from './held-granting-lock.js';
import { ScriptedPubSub } from './scripted-pub-sub.js';

const LEASE = 30_000;

/** Attempts for one lock, and the releases by which it was passed on to other clients. */
const open = (limits: HandOverLimits) => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const attempts = new HandOverAttempts(new HeldGrantingLock(scheduler), new OwnerIds('me'), new LockEvents(), limits);
  const granted = (isAlone: boolean): Acquired => ({
    owner: 'me:1',
    lease: LEASE,
    fence: undefined,
    sent: new Stopwatch(scheduler),
    ...(isAlone && { isAlone }),
  });
  /** Passes the lock on so often, each time with an answer after `ms`. */
  const passOn = async (times: number, ms: number): Promise<void> => {
    const entry = attempts.waitOnServer('n', new ScriptedPubSub(), {
      onGranted: () => {},
      onMissed: () => {},
      onFailed: (error) => {
        throw error;
      },
    });
    entry?.listen();
    await clock.advance(0);
    for (let time = 0; time < times; time += 1) {
      const carried = entry?.entryFor(LEASE);
      if (!carried) throw new Error('The client does not wait on the server');
      const sent = new Stopwatch(scheduler);
      await clock.advance(ms);
      carried.afterRelease({ outcome: 'passed-on', sent });
      entry?.withdraw();
    }
  };
  /** The hand-overs of a run whose sections take `section` ms each. */
  const run = async (section: number, isAlone = false): Promise<number> => {
    let count = 0;
    for (let got: Acquired | undefined = granted(isAlone); got && count < 1000; count += 1) {
      await clock.advance(section);
      got = attempts.transfer(got, LEASE);
    }
    return count - 1;
  };
  return { run, passOn };
};

describe('A run of hand-overs', () => {
  it.each([
    { what: '16 sections, if it was never passed on to another client', passed: 0, section: 0.01, expected: 16 },
    { what: 'as long as passing on twice, with short sections', passed: 1, section: 0.01, expected: 200 },
    { what: '5 ms, although passing on takes longer', passed: 4, section: 0.05, expected: 99 },
    { what: '5 ms, with sections of a millisecond', passed: 1, section: 1, expected: 4 },
    { what: '16 sections, if passing on takes less', passed: 0.01, section: 0.1, expected: 16 },
  ])('lasts for $what', async ({ passed, section, expected }) => {
    const { run, passOn } = open({ max: undefined, ms: 5 });
    if (passed > 0) await passOn(60, passed);
    const count = await run(section);
    expect(count).toBeGreaterThanOrEqual(Math.floor(expected * 0.98));
    expect(count).toBeLessThanOrEqual(Math.ceil(expected * 1.02));
  });

  it('follows a server that has become slower, or faster', async () => {
    const { run, passOn } = open({ max: undefined, ms: 5 });
    await passOn(60, 0.5);
    const before = await run(0.01);
    await passOn(100, 2);
    expect(await run(0.01)).toBeGreaterThan(2 * before);
    await passOn(300, 0.5);
    expect(await run(0.01)).toBeLessThan(1.1 * before);
  });

  it.each([1, 16, 64])('ends after %p, if that is the limit, however long passing on takes', async (max) => {
    const { run, passOn } = open({ max, ms: 1000 });
    await passOn(60, 400);
    expect(await run(0.01)).toBe(max);
  });

  it('is limited by time alone if no other client waits', async () => {
    const { run } = open({ max: 3, ms: 5 });
    expect(await run(0.05, true)).toBeGreaterThanOrEqual(98);
  });
});
