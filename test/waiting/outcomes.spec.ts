import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import type { LastOutcome } from '../../lib/waiting/attempt-strategy.js';
import { Outcomes } from '../../lib/waiting/outcomes.js';
import { noReply } from './scripted-attempts.js';

const BUSY = { holder: 'them', remaining: 7000 };
const LATER = { holder: 'others', remaining: 100 };
const FAILED = noReply();

type Step = 'asks' | LastOutcome;

/** [what happens, the instants of that, ms; the end of the wait, ms; the outcome that counts then] */
const ROWS: readonly (readonly [string, readonly (readonly [number, Step])[], number, LastOutcome])[] = [
  [
    'never answered',
    [
      [0, 'asks'],
      [100, FAILED],
    ],
    101,
    FAILED,
  ],
  ['answered, and not asked since', [[0, BUSY]], 5000, BUSY],
  [
    'did not answer for less than a command may take',
    [
      [0, BUSY],
      [900, 'asks'],
      [990, FAILED],
    ],
    999,
    BUSY,
  ],
  [
    'did not answer for as long',
    [
      [0, BUSY],
      [900, 'asks'],
      [1000, FAILED],
    ],
    1000,
    FAILED,
  ],
  [
    'did not answer for as long, in two attempts',
    [
      [0, BUSY],
      [900, 'asks'],
      [950, FAILED],
      [960, 'asks'],
      [990, FAILED],
    ],
    1000,
    FAILED,
  ],
  [
    'did not answer, and only later than the end',
    [
      [0, BUSY],
      [990, 'asks'],
      [1090, FAILED],
    ],
    1000,
    BUSY,
  ],
  [
    'answered in between',
    [
      [0, BUSY],
      [900, 'asks'],
      [950, FAILED],
      [960, 'asks'],
      [970, LATER],
      [980, 'asks'],
      [1080, FAILED],
    ],
    1010,
    LATER,
  ],
  [
    'answered another attempt after the one that failed was sent',
    [
      [0, BUSY],
      [900, 'asks'],
      [990, LATER],
      [1000, FAILED],
    ],
    1000,
    LATER,
  ],
  [
    'answered, but what is not known',
    [
      [0, BUSY],
      [10, undefined],
      [990, 'asks'],
      [995, FAILED],
    ],
    1000,
    FAILED,
  ],
];

describe('The outcome that counts at the end of a wait', () => {
  it.each(ROWS)('D47: if the server %s', async (_, steps, wait, outcome) => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, () => {});
    const outcomes = new Outcomes({ scheduler, commandTimeout: 100 });
    const limit = new WaitLimit(scheduler, wait, []);
    const start = clock.now();
    for (const [at, step] of steps) {
      await clock.advance(start + at - clock.now());
      if (step === 'asks') outcomes.asking();
      else outcomes.last = step;
    }
    await clock.advance(Math.max(0, start + wait - clock.now()));
    expect(outcomes.atEndOf(limit)).toBe(outcome);
  });
});
