import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import type { LastOutcome } from '../../lib/waiting/attempt-strategy.js';
import { Outcomes } from '../../lib/waiting/outcomes.js';
import { noReply } from './scripted-attempts.js';

const BUSY = { holder: 'them', remaining: 7000 };
const LATER = { holder: 'others', remaining: 100 };
const FAILED = noReply();

/** What an attempt found, by word. */
const FOUND: Readonly<Record<string, LastOutcome>> = { busy: BUSY, later: LATER, failed: FAILED, unknown: undefined };

describe('The outcome that counts at the end of a wait', () => {
  it.each([
    // The instants of what happens, ms; the end of the wait, ms; the outcome that counts then.
    ['never answered', '0 asks, 100 failed', 101, FAILED],
    ['answered, and not asked since', '0 busy', 5000, BUSY],
    ['did not answer for less than a command may take', '0 busy, 900 asks, 990 failed', 999, BUSY],
    ['did not answer for as long', '0 busy, 900 asks, 1000 failed', 1000, FAILED],
    ['did not answer for as long, twice', '0 busy, 900 asks, 950 failed, 960 asks, 990 failed', 1000, FAILED],
    ['did not answer, and only later than the end', '0 busy, 990 asks, 1090 failed', 1000, BUSY],
    ['answered in between', '0 busy, 900 asks, 950 failed, 960 asks, 970 later, 980 asks, 1080 failed', 1010, LATER],
    ['answered another attempt after that', '0 busy, 900 asks, 990 later, 1000 failed', 1000, LATER],
    ['answered, but what is not known', '0 busy, 10 unknown, 990 asks, 995 failed', 1000, FAILED],
  ] as const)('D47: if the server %s', async (_, steps, wait, outcome) => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, () => {});
    const outcomes = new Outcomes({ scheduler, commandTimeout: 100 });
    const limit = new WaitLimit(scheduler, wait, []);
    const start = clock.now();
    for (const step of steps.split(', ')) {
      const [at, what = ''] = step.split(' ');
      await clock.advance(start + Number(at) - clock.now());
      if (what === 'asks') outcomes.asking();
      else outcomes.last = FOUND[what];
    }
    await clock.advance(Math.max(0, start + wait - clock.now()));
    expect(outcomes.atEndOf(limit)).toBe(outcome);
  });
});
