import type { HoldOutcome } from '../../lib/backend/lock-operations.js';
import { LeftBehind } from '../../lib/backend/kinds/lock/left-behind.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { settlementOf } from './answers-in-order.js';
import { unavailable } from './scripted-commands.js';

const PASSING = unavailable('unknown', 'no reply');
const DENIED = unavailable('refused', 'NOPERM', true);

interface SentCommand {
  readonly name: string;
  readonly command: 'hold' | 'release';
  readonly lease: number;
  readonly at: number;
}

/** A command in flight, which the test answers. */
interface OpenCommand extends SentCommand {
  readonly answer: (outcome: 'held' | 'lost') => void;
  readonly fail: (error: unknown) => void;
}

const setUp = () => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, () => {});
  const sent: SentCommand[] = [];
  const open: OpenCommand[] = [];
  const send = (command: 'hold' | 'release', name: string, lease: number): Promise<HoldOutcome> => {
    const asked = { command, name, lease, at: clock.now() };
    sent.push(asked);
    const stopwatch = new Stopwatch(scheduler);
    return new Promise((resolve, fail) => {
      const answer = (outcome: 'held' | 'lost'): void =>
        resolve(outcome === 'held' ? { outcome, sent: stopwatch } : { outcome });
      open.push({ ...asked, answer, fail });
    });
  };
  const left = new LeftBehind(scheduler, {
    hold: ({ name, lease }) => send('hold', name, lease),
    release: ({ name, lease }) => send('release', name, lease),
  });
  const leave = (keep: number, name = 'n') =>
    settlementOf(left.leave({ name, owner: `owner of ${name}`, lease: 30_000, keep }), clock);
  const next = async (): Promise<OpenCommand> => {
    await clock.advance(0);
    const first = open.shift();
    if (!first) throw new Error('No command is on its way');
    return first;
  };
  /** Leaves a lock behind. The first two tries fail, and the one in the background is on its way. */
  const leaveInVain = async (keep: number, name = 'n'): Promise<void> => {
    const settled = leave(keep, name);
    (await next()).fail(PASSING);
    (await next()).fail(PASSING);
    await clock.advance(0);
    expect(settled).toMatchObject([{ error: PASSING }]);
  };
  /** The commands so far, with their times and leases. */
  const log = () => sent.map(({ command, at, lease }) => [command, at, lease]);
  return { clock, left, leave, leaveInVain, next, open, log };
};

describe('A lock that is left behind', () => {
  it.each<readonly [errors: string, sent: number, error: unknown, readonly unknown[]]>([
    ['a permanent failure', 1, DENIED, [DENIED]],
    ['an unknown outcome and then a permanent failure', 2, PASSING, [PASSING, DENIED]],
    ['an error of the program', 1, 'broken', ['broken']],
  ])('is not kept in the background after %s', async (_, count, error, errors) => {
    const { clock, leave, next, log } = setUp();
    const settled = leave(20_000);
    for (const failure of errors) (await next()).fail(failure);
    await clock.advance(60_000);
    expect(settled).toEqual([{ at: 0, error }]);
    expect(log()).toHaveLength(count);
    expect(clock.pending).toBe(0);
  });

  it.each(['held', 'lost'] as const)(
    'is no longer kept in the background once the server replies "%s"',
    async (outcome) => {
      const { clock, leaveInVain, next, log } = setUp();
      await leaveInVain(20_000);
      (await next()).fail(PASSING);
      await clock.advance(100);
      (await next()).answer(outcome);
      await clock.advance(60_000);
      expect(log().map(([, at]) => at)).toEqual([0, 0, 0, 100]);
      expect(clock.pending).toBe(0);
    },
  );

  it.each([
    ['its time passes', 1000],
    ['more than its time passes', 1700],
  ])('is released if %s during a command that then fails', async (_, failsAt) => {
    const { clock, leaveInVain, next, log } = setUp();
    await leaveInVain(1000);
    const hold = await next();
    await clock.advance(failsAt);
    hold.fail(PASSING);
    await clock.advance(200);
    (await next()).fail(PASSING);
    await clock.advance(400);
    (await next()).answer('held');
    await clock.advance(60_000);
    const commands = log().map(([command]) => command);
    expect(commands).toEqual(['hold', 'hold', 'hold', 'release', 'release']);
    expect(clock.pending).toBe(0);
  });

  it('is not released if its time passes during a command that then succeeds', async () => {
    const { clock, leaveInVain, next, log } = setUp();
    await leaveInVain(1000);
    const hold = await next();
    await clock.advance(1500);
    hold.answer('held');
    await clock.advance(60_000);
    expect(log()).toHaveLength(3);
  });

  it.each([
    ['a part of a millisecond', 0.25, 1],
    ['a millisecond and a part', 1.25, 2],
    ['no time', 0, 1],
  ])('for %s is kept in whole milliseconds', async (_, keep, lease) => {
    const { clock, leave, next, log } = setUp();
    const settled = leave(keep);
    (await next()).answer('held');
    await clock.advance(0);
    expect(settled).toEqual([{ at: 0, value: true }]);
    expect(log()).toEqual([['hold', 0, lease]]);
  });

  it('is requested once more although its time passed at the first attempt, for the shortest lease', async () => {
    const { clock, leave, next, log } = setUp();
    const settled = leave(500);
    const first = await next();
    await clock.advance(1000);
    first.fail(PASSING);
    (await next()).answer('lost');
    await clock.advance(60_000);
    expect(settled).toEqual([{ at: 1000, value: false }]);
    expect(log()).toEqual([
      ['hold', 0, 500],
      ['hold', 1000, 1],
    ]);
  });
});

describe('Several locks that are left behind', () => {
  it('are kept independently; only that of an owner that acquires again is left alone', async () => {
    const { clock, left, leaveInVain, next, open } = setUp();
    await leaveInVain(20_000, 'a');
    const ofA = await next();
    await leaveInVain(20_000, 'b');
    const ofB = await next();
    ofB.fail(PASSING);
    await clock.advance(0);
    const abandonedA = settlementOf(left.abandon('owner of a'), clock);
    const abandonedC = settlementOf(left.abandon('owner of c'), clock);
    await clock.advance(100);
    expect(abandonedC).toMatchObject([{ at: 0 }]);
    // A command in flight could still take effect.
    expect(abandonedA).toEqual([]);
    expect(open).toMatchObject([{ name: 'b', at: 100 }]);
    ofA.answer('held');
    (await next()).answer('held');
    await clock.advance(60_000);
    expect(abandonedA).toMatchObject([{ at: 100 }]);
    expect(open).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('are all requested once more at the end, which waits for all replies', async () => {
    const { clock, left, leaveInVain, next, open } = setUp();
    for (const name of ['a', 'b']) {
      await leaveInVain(20_000, name);
      (await next()).fail(PASSING);
    }
    await clock.advance(30);
    const finished = settlementOf(left.finish(500), clock);
    const [first, second] = [await next(), await next()];
    expect([first, second]).toMatchObject([
      { name: 'a', at: 30 },
      { name: 'b', at: 30 },
    ]);
    first.answer('held');
    await clock.advance(40);
    expect(finished).toEqual([]);
    second.answer('lost');
    await clock.advance(60_000);
    expect(finished).toMatchObject([{ at: 70 }]);
    expect(open).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('are requested twice, and not in the background, after the end', async () => {
    const { clock, left, leaveInVain, open, log } = setUp();
    await left.finish(500);
    await leaveInVain(20_000);
    await clock.advance(60_000);
    expect(log()).toHaveLength(2);
    expect(open).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
