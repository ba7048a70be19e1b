import type { HoldOutcome, HoldRequest } from '../../lib/backend/lock-operations.js';
import { LeftBehind } from '../../lib/backend/kinds/lock/left-behind.js';
import { LockUnavailableError } from '../../lib/standalone.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';

/** The time-out of a command without an answer, ms. */
const TIMEOUT = 1000;

type Answer = 'held' | 'lost' | 'passing' | 'permanent';

/** A server that gives these answers to `hold` commands, in order. The last one is repeated. */
const open = (...answers: readonly Answer[]) => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, () => {});
  const asked: (readonly [at: number, command: 'hold' | 'release', lease: number])[] = [];
  const holds: HoldRequest[] = [];
  const hold = async (request: HoldRequest): Promise<HoldOutcome> => {
    asked.push([clock.now(), 'hold', request.lease]);
    holds.push(request);
    const answer = answers[Math.min(holds.length, answers.length) - 1];
    if (answer === 'held') return { outcome: 'held', sent: new Stopwatch(scheduler) };
    if (answer === 'lost') return { outcome: 'lost' };
    await scheduler.pause(TIMEOUT);
    throw new LockUnavailableError('no answer', 'unknown', answer === 'permanent');
  };
  const release = async ({ lease }: { readonly lease: number }): Promise<void> => {
    asked.push([clock.now(), 'release', lease]);
  };
  const left = new LeftBehind(scheduler, { hold, release });
  const leave = async (keep: number) => {
    const outcome = left.leave({ name: 'n', owner: 'me:1', lease: 30_000, keep }).then(
      (wasHeld) => wasHeld,
      (error: unknown) => error,
    );
    await clock.advance(2 * TIMEOUT);
    return outcome;
  };
  return { clock, left, leave, asked, holds };
};

describe('A lock that is left behind', () => {
  it.each<[Answer, boolean]>([
    ['held', true],
    ['lost', false],
  ])('D10: is requested once if the reply is "%s"', async (answer, wasHeld) => {
    const { leave, asked, holds, clock } = open(answer);
    await expect(leave(20_000)).resolves.toBe(wasHeld);
    await clock.advance(60_000);
    expect(asked).toEqual([[0, 'hold', 20_000]]);
    expect(holds).toEqual([{ name: 'n', owner: 'me:1', count: 1, lease: 20_000, isLeft: true }]);
  });

  it('D10: is requested once more after a passing failure, for the rest of its time', async () => {
    const { leave, asked, clock } = open('passing', 'held');
    await expect(leave(20_000)).resolves.toBe(true);
    await clock.advance(60_000);
    expect(asked).toEqual([
      [0, 'hold', 20_000],
      [1000, 'hold', 19_000],
    ]);
  });

  it('D10: is requested in the background after a second failure, until there is a reply', async () => {
    const { leave, asked, clock } = open('passing', 'passing', 'passing', 'passing', 'held');
    await expect(leave(20_000)).resolves.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await clock.advance(60_000);
    expect(asked).toHaveLength(5);
    for (const [at, command, lease] of asked) expect([command, lease]).toEqual(['hold', 20_000 - at]);
    expect(clock.pending).toBe(0);
  });

  it('D10: is released if its time passes before there is an answer', async () => {
    const { leave, asked, clock } = open('passing');
    await leave(3000);
    await clock.advance(60_000);
    expect(asked.map(([, command]) => command)).toEqual(['hold', 'hold', 'hold', 'release']);
    expect(asked[3]?.[0]).toBeGreaterThanOrEqual(3000);
  });

  it('D10: is no longer requested once the server must have dropped it', async () => {
    const { leave, asked, clock } = open('passing');
    await leave(60_000);
    await clock.advance(60_000);
    expect(asked.at(-1)?.[0]).toBeGreaterThan(30_000);
    expect(asked.at(-1)?.[0]).toBeLessThan(45_000);
    expect(clock.pending).toBe(0);
  });

  it('D10: is given up after a permanent failure', async () => {
    const { leave, asked, clock } = open('passing', 'passing', 'permanent');
    await expect(leave(20_000)).resolves.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await clock.advance(60_000);
    expect(asked).toHaveLength(3);
  });

  it('D10: is given up when its connections close, after the time for that', async () => {
    const { left, leave, asked, clock } = open('passing');
    await leave(20_000);
    const finished = left.finish(500);
    await clock.advance(500);
    await finished;
    await clock.advance(60_000);
    expect(asked).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it('D10: does not touch an owner that acquires again', async () => {
    const { left, leave, asked, clock } = open('passing');
    await leave(20_000);
    await clock.advance(0);
    let isOver = false;
    const over = left.abandon('me:1').then(() => (isOver = true));
    await clock.advance(TIMEOUT - 1);
    // A command in flight could still take effect.
    expect(isOver).toBe(false);
    await clock.advance(200);
    await over;
    await clock.advance(60_000);
    expect(asked).toHaveLength(3);
  });
});
