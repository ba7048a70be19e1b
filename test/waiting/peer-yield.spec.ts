import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { PeerYield } from '../../lib/waiting/queue/peer-yield.js';

const setUp = () => {
  const clock = new ManualClock();
  /** The calls of `onOurTurn`: the instant of each, and whether the yield still goes on. */
  const calls: { readonly at: number; readonly yielding: boolean }[] = [];
  const peerYield: PeerYield = new PeerYield(new MonotonicScheduler(clock, () => {}), {
    onOurTurn: () => void calls.push({ at: clock.now(), yielding: peerYield.isYielding }),
  });
  /** Plays an earlier release with this number of notified peers, and a later acquisition of the lock. */
  const knowPeers = (peers: number | undefined): void => {
    if (peers === undefined) return;
    peerYield.yieldTo(peers);
    peerYield.acquired();
    calls.length = 0;
  };
  return { clock, calls, peerYield, knowPeers };
};
type Bench = ReturnType<typeof setUp>;

/** The events in the tables below, where commas separate them. */
const EVENTS = new Map<string, (bench: Bench) => unknown>([
  ['release', ({ peerYield }) => peerYield.beforeRelease(true)],
  ['release unsubscribed', ({ peerYield }) => peerYield.beforeRelease(false)],
  ['silent', ({ peerYield }) => peerYield.releaseWasSilent()],
  ['2 peers', ({ peerYield }) => peerYield.afterRelease(2)],
  ['refused', ({ peerYield }) => peerYield.afterRelease(0)],
  ['passed on', ({ peerYield }) => peerYield.passedOn()],
  ['cancel', ({ peerYield }) => peerYield.cancel()],
  ['acquired', ({ peerYield }) => peerYield.acquired()],
  ['peer acquired', ({ peerYield }) => peerYield.peerAcquired()],
  ['subscribed', ({ peerYield }) => peerYield.expectNoEcho()],
  ['announcement', ({ peerYield }) => peerYield.onAnnouncement()],
  ['1 ms', ({ clock }) => clock.advance(1)],
  ['15 ms', ({ clock }) => clock.advance(15)],
  ['19 ms', ({ clock }) => clock.advance(19)],
  ['20 ms', ({ clock }) => clock.advance(20)],
]);

/** Plays the events, and resolves with the answers to the announcements. */
const play = async (bench: Bench, events: string): Promise<string> => {
  const answers: unknown[] = [];
  for (const event of events === '' ? [] : events.split(', ')) {
    const act = EVENTS.get(event);
    if (!act) throw new Error(`There is no event "${event}"`);
    const answer = await act(bench);
    if (answer !== undefined) answers.push(answer);
  }
  return answers.join(', ');
};

describe('A yield after a release', () => {
  it.each([
    // `replyAfter`: the number of announcements before the reply with the number of notified peers.
    { known: undefined, told: 1, replyAfter: 0, last: 2 },
    { known: undefined, told: 3, replyAfter: 0, last: 4 },
    { known: undefined, told: 3, replyAfter: 1, last: 4 },
    { known: 1, told: 3, replyAfter: 1, last: 4 },
    { known: 3, told: 3, replyAfter: 2, last: 4 },
    { known: 3, told: 1, replyAfter: 0, last: 2 },
    { known: 3, told: 1, replyAfter: 1, last: 2 },
    { known: 3, told: 2, replyAfter: 2, last: 3 },
  ])(
    'ends with announcement $last (peers known before: $known, told of it: $told, reply after announcement $replyAfter)',
    ({ known, told, replyAfter, last }) => {
      const { calls, peerYield, knowPeers } = setUp();
      knowPeers(known);
      peerYield.beforeRelease(true);
      for (let passed = 0; passed < last; passed += 1) {
        if (passed === replyAfter) peerYield.afterRelease(told);
        expect(calls).toEqual([]);
        expect(peerYield.isYielding).toBe(true);
        peerYield.onAnnouncement();
      }
      expect(calls).toEqual([{ at: 0, yielding: false }]);
      expect(peerYield.isYielding).toBe(false);
    },
  );

  it.each([
    { known: undefined, told: 0, passed: 0 },
    { known: undefined, told: 0, passed: 1 },
    { known: 3, told: 0, passed: 0 },
    { known: 3, told: 1, passed: 2 },
    { known: 5, told: 1, passed: 4 },
  ])(
    'ends with the reply that $told peers were told of it, after $passed announcements (peers known before: $known)',
    ({ known, told, passed }) => {
      const { clock, calls, peerYield, knowPeers } = setUp();
      knowPeers(known);
      peerYield.beforeRelease(true);
      for (let count = 0; count < passed; count += 1) peerYield.onAnnouncement();
      expect(calls).toEqual([]);
      peerYield.afterRelease(told);
      expect(calls).toEqual([{ at: 0, yielding: false }]);
      expect(clock.pending).toBe(0);
    },
  );

  it('does not begin if no peer was told of the release before', () => {
    const { clock, calls, peerYield } = setUp();
    peerYield.beforeRelease(true);
    peerYield.afterRelease(0);
    peerYield.acquired();
    calls.length = 0;
    peerYield.beforeRelease(true);
    expect(calls).toEqual([{ at: 0, yielding: false }]);
    // The release was announced to two peers after all, which counts from the next release on.
    peerYield.afterRelease(2);
    expect(peerYield.isYielding).toBe(false);
    peerYield.acquired();
    peerYield.beforeRelease(true);
    expect(peerYield.isYielding).toBe(true);
    expect(calls).toHaveLength(1);
    expect(clock.pending).toBe(1);
  });

  it.each([1, 2, 3])('ends with announcement %d if as many peers were told and its own was not received', (others) => {
    const { calls, peerYield } = setUp();
    peerYield.yieldTo(others);
    for (let passed = 1; passed < others; passed += 1) peerYield.onAnnouncement();
    expect(calls).toEqual([]);
    peerYield.onAnnouncement();
    expect(calls).toEqual([{ at: 0, yielding: false }]);
  });

  it.each(['acquired', 'cancel'] as const)('is cancelled by %s() without a call and without a timer', async (by) => {
    const { clock, calls, peerYield } = setUp();
    peerYield.beforeRelease(true);
    peerYield.afterRelease(3);
    peerYield[by]();
    expect(peerYield.isYielding).toBe(false);
    expect(clock.pending).toBe(0);
    // A late reply to the same release does not begin it again.
    peerYield.afterRelease(4);
    await clock.advance(100);
    expect(calls).toEqual([]);
  });
});

describe('A received announcement', () => {
  it.each([
    ['announcement', 'other'],
    ['release, announcement, announcement', 'own, other'],
    ['release, acquired, release, announcement, announcement, announcement', 'own, own, other'],
    ['release, 19 ms, announcement', 'own'],
    ['release, 20 ms, announcement', 'other'],
    // The second release extends the time in which the announcement of the first may still come.
    ['release, 15 ms, acquired, release, 15 ms, announcement, announcement, announcement', 'own, own, other'],
    ['release, 20 ms, acquired, release, announcement, announcement', 'own, other'],
    ['release, silent, announcement', 'other'],
    ['release, acquired, release, silent, announcement, announcement', 'own, other'],
    // A reply that the announcement reached no subscriber lowers no count below zero.
    ['release, announcement, silent, acquired, release, announcement', 'own, own'],
    ['release unsubscribed, announcement', 'other'],
    ['release, acquired, release unsubscribed, announcement', 'other'],
    ['release, subscribed, announcement', 'other'],
    ['release, subscribed, acquired, release, announcement, announcement', 'own, other'],
  ])('is attributed to its release: %s → %s', async (events, answers) => {
    await expect(play(setUp(), events)).resolves.toBe(answers);
  });

  it.each([
    // The release of the one assumed peer, and the announcement of ours, end the yield.
    { events: 'announcement', calls: 1, yielding: false },
    { events: 'release, announcement', calls: 0, yielding: true },
    { events: 'release, acquired, announcement', calls: 0, yielding: false },
    { events: 'release, acquired, subscribed, announcement', calls: 1, yielding: false },
    // The announcement of an older release passes no turn.
    { events: 'release, acquired, release, announcement, announcement', calls: 0, yielding: true },
    { events: 'release, acquired, release, announcement, announcement, announcement', calls: 1, yielding: false },
    // A time-out is one call. The turns that remain after it still count.
    { events: 'release, 1 ms, announcement', calls: 1, yielding: true },
    { events: 'release, 1 ms, announcement, announcement', calls: 2, yielding: false },
    { events: 'release, announcement, 1 ms, announcement', calls: 2, yielding: false },
    { events: 'release, 1 ms, 2 peers, announcement, announcement', calls: 2, yielding: false },
  ])('passes turns: $events → $calls calls, yielding: $yielding', async ({ events, calls, yielding }) => {
    const bench = setUp();
    await play(bench, events);
    expect(bench.calls).toHaveLength(calls);
    expect(bench.peerYield.isYielding).toBe(yielding);
  });
});

describe('A release of a client that is not told who has the lock', () => {
  it.each([
    // Nothing else would wake it.
    { events: 'release, passed on', calls: 1 },
    { events: 'release unsubscribed, passed on', calls: 1 },
    { events: 'release, 1 ms, passed on', calls: 1 },
    { events: 'release, acquired, passed on', calls: 0 },
  ])('calls $calls times after: $events', async ({ events, calls }) => {
    const bench = setUp();
    await play(bench, events);
    expect(bench.calls).toHaveLength(calls);
    expect(bench.peerYield.isYielding).toBe(false);
    expect(bench.clock.pending).toBe(0);
  });
});

describe('The time-out of a yield', () => {
  /** The time after which a yield without announcements ends, ms. */
  const measure = async ({ clock, calls, peerYield }: Bench): Promise<number> => {
    calls.length = 0;
    const begun = clock.now();
    peerYield.beforeRelease(false);
    await clock.advance(20);
    expect(calls).toEqual([{ at: expect.any(Number), yielding: false }]);
    return Number(calls[0]?.at) - begun;
  };

  it('doubles from 1 ms to 8 ms as long as yields time out', async () => {
    const bench = setUp();
    for (const expected of [1, 2, 4, 8, 8]) {
      await expect(measure(bench)).resolves.toBe(expected);
      bench.peerYield.acquired();
    }
    expect(bench.clock.pending).toBe(0);
  });

  it.each([
    { events: 'acquired', next: 4 },
    { events: '', next: 2 },
    { events: 'acquired, acquired', next: 4 },
    { events: 'acquired, release, acquired', next: 4 },
    { events: 'acquired, peer acquired', next: 1 },
    { events: 'peer acquired, acquired', next: 1 },
  ])('of the second yield was 2 ms, and of the third is $next ms after: $events', async ({ events, next }) => {
    const bench = setUp();
    await measure(bench);
    bench.peerYield.acquired();
    await expect(measure(bench)).resolves.toBe(2);
    await play(bench, events);
    await expect(measure(bench)).resolves.toBe(next);
  });
});

describe('A release by which the server may give the lock away', () => {
  it.each([
    { events: 'passed on', calls: 0 },
    { events: 'announcement, passed on', calls: 1 },
    { events: '20 ms, announcement, passed on', calls: 1 },
    { events: 'acquired, announcement, passed on', calls: 0 },
    { events: 'cancel, refused', calls: 1 },
    { events: 'cancel, 2 peers, 1 ms', calls: 1 },
  ])('calls $calls times after: $events', async ({ events, calls }) => {
    const bench = setUp();
    bench.peerYield.beforeRelease(true, true);
    await play(bench, events);
    expect(bench.calls).toHaveLength(calls);
    expect(bench.peerYield.isYielding).toBe(false);
  });
});
