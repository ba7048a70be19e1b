import { ManualClock } from '../../lib/testing/manual-clock.js';
import { released } from './released.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { UnannouncedReleases } from '../../lib/waiting/queue/releases.js';
import type { Busy } from '../../lib/waiting/attempt-strategy.js';
import { WaitQueueBench } from './wait-queue-bench.js';

const OURS = { holder: 'ours', remaining: 30_000 };
const THEIRS = { holder: 'theirs', remaining: 30_000 };
const PERMITS = { available: 0, remaining: -1 };

describe('A turn without announcements', () => {
  const setUp = () => {
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, () => {});
    let calls = 0;
    const releases = new UnannouncedReleases(
      { scheduler, polling: { subscribed: 5000, unsubscribed: 1000 } },
      { onOurTurn: () => void (calls += 1) },
    );
    const turn = {
      got: (outcome: Busy | undefined) => releases.acquired(outcome),
      found: (busy: Busy) => releases.foundBusy(busy),
      goesOn: () => {
        calls = 0;
        releases.afterRelease();
        return calls === 1;
      },
    };
    return { clock, turn };
  };

  it.each([
    // The instants of our releases, ms, and whether the next waiter of this process may make an attempt at once after
    // each.
    { releases: [0, 128], goesOn: [true, true] },
    { releases: [0, 129], goesOn: [true, false] },
    { releases: [0, 100, 200], goesOn: [true, true, false] },
    { releases: [500, 628, 629], goesOn: [true, true, false] },
    // A release after the end of a turn begins the next turn.
    { releases: [0, 129, 130, 258, 259], goesOn: [true, false, true, true, false] },
  ])('lasts 128 ms from its first release: $releases → $goesOn', async ({ releases, goesOn }) => {
    const { clock, turn } = setUp();
    const seen: boolean[] = [];
    for (const at of releases) {
      await clock.advance(at - clock.now());
      seen.push(turn.goesOn());
    }
    expect(seen).toEqual(goesOn);
  });

  it.each([
    { title: 'another holder', got: OURS, found: THEIRS, goesOn: true },
    { title: 'our own hold', got: OURS, found: OURS, goesOn: false },
    { title: 'no holder after a grant of ours', got: OURS, found: PERMITS, goesOn: true },
    { title: 'no holder after a grant that blocks no waiter', got: undefined, found: PERMITS, goesOn: false },
    { title: 'a holder after a grant that blocks no waiter', got: undefined, found: THEIRS, goesOn: true },
    { title: 'no holder after a grant of permits', got: PERMITS, found: PERMITS, goesOn: false },
  ])('begins anew: $goesOn, after an attempt that finds $title', async ({ got, found, goesOn }) => {
    const { clock, turn } = setUp();
    turn.got(got);
    expect(turn.goesOn()).toBe(true);
    await clock.advance(129);
    turn.found(found);
    expect(turn.goesOn()).toBe(goesOn);
  });
});

describe('A release that is not announced', () => {
  const release = ({ queue }: WaitQueueBench): void => {
    queue.beforeRelease();
    queue.afterRelease(released(0));
  };

  it('lets the next waiter attempt at once when it is confirmed, instead of at the end of its pause', async () => {
    const bench = new WaitQueueBench({ channel: false });
    bench.enter('a', { pauses: () => [500] });
    await bench.untilAsleep();
    await bench.clock.advance(10);
    bench.queue.beforeRelease();
    await expect(bench.attemptsIn(10)).resolves.toEqual([]);
    bench.queue.afterRelease(released(0));
    await expect(bench.attemptsIn(10)).resolves.toEqual([0]);
  });

  it.each([
    { holder: 'ours', instants: [0, 100, 628] },
    { holder: 'them', instants: [0, 100, 200] },
  ])('does so for 128 ms as long as attempts find $holder: $instants', async ({ holder, instants }) => {
    const bench = new WaitQueueBench({ channel: false });
    bench.attempts.afterGrant = { holder: 'ours', remaining: 30_000 };
    bench.enter('a', { pauses: () => [1] });
    bench.enter('b', { pauses: () => [528] });
    (await bench.attempt()).grant(1);
    await bench.clock.advance(0);
    const begun = bench.clock.now();
    for (const pause of [100, 100, 500]) {
      release(bench);
      await bench.untilAsleep({ holder });
      await bench.clock.advance(pause);
      await bench.untilAsleep({ holder });
    }
    expect(bench.attempts.instants.slice(1).map((at) => at - begun)).toEqual(instants);
  });
});
