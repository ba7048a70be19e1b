import {
  type Answer,
  DAY_MS,
  DENIED,
  LATE,
  NOT_SENT,
  REFUSED,
  SET,
  setUpRequests,
  TAKEN,
  UNKNOWN,
  WRONG_TYPE,
} from './idempotent-requests-bench.js';

describe('An acquisition with an idempotency key', () => {
  it.each<readonly [answers: string, count: number, readonly Answer[]]>([
    ['granted', 5, [TAKEN]],
    ['late, then granted', 5, [LATE, TAKEN]],
    ['not written, then granted without a count', 0, [NOT_SENT, ['taken', '', 0]]],
  ])('(%s) deletes its key, which was the same at every attempt', async (_, count, answers) => {
    const { aDayAfter, acquire, keys, sent, discarded, undone } = setUpRequests(answers);
    const settled = await aDayAfter(acquire);
    expect(settled).toEqual([{ at: 0, value: { outcome: 'taken', count } }]);
    expect(sent).toEqual(
      answers.map(() => ({ at: 0, notAfter: 1000, deadline: 1000, idempotencyKey: keys()[0], keyTtl: DAY_MS + 2000 })),
    );
    expect(discarded()).toEqual([['counter/forget', keys()[0], 0]]);
    expect(undone).toEqual([]);
  });

  it.each<readonly [answer: string, Answer, object]>([
    ['there are too few', ['too-few', '', 0, 1], { value: { outcome: 'too-few', count: 1 } }],
    ['the server refuses it', REFUSED, { error: REFUSED }],
    ['the server refuses it for good', DENIED, { error: DENIED }],
    ['another type of key has the name', WRONG_TYPE, { error: { code: 'LOCK_KEY_TYPE' } }],
  ])('is sent once and leaves nothing to undo if %s', async (_, answer, settlement) => {
    const { aDayAfter, acquire, times, discarded, undone } = setUpRequests([answer]);
    const settled = await aDayAfter(acquire);
    expect(settled).toMatchObject([settlement]);
    expect([times(), discarded(), undone]).toEqual([[0], [], []]);
  });

  it('of unknown outcome fails at once, and is undone until it cannot take effect any more', async () => {
    const { aDayAfter, clock, acquire, times, keys, discarded, undone, undoAnswers, givenUp } = setUpRequests([
      UNKNOWN,
    ]);
    undoAnswers.push(0, REFUSED, 950, 1000, UNKNOWN, 1001);
    const settled = await aDayAfter(acquire);
    expect(settled).toEqual([{ at: 0, error: UNKNOWN }]);
    expect(times()).toEqual([0]);
    expect(undone).toEqual([0, 100, 200, 251, 252, 352].map((at) => [keys()[0], at]));
    expect([discarded(), givenUp]).toEqual([[], []]);
    expect(clock.pending).toBe(0);
  });

  it('is undone by its own key, even after other acquisitions', async () => {
    const { clock, acquire, keys, discarded, undone, undoAnswers } = setUpRequests([UNKNOWN, TAKEN]);
    undoAnswers.push(REFUSED);
    acquire();
    await clock.advance(50);
    acquire();
    await clock.advance(5000);
    const [first, second] = keys();
    expect(first).not.toBe(second);
    expect(new Set(undone.map(([key]) => key))).toEqual(new Set([first]));
    expect(discarded()).toEqual([['counter/forget', second, 50]]);
  });

  it('is given up if its undoing is refused permanently, and that is reported', async () => {
    const { clock, acquire, undone, undoAnswers, givenUp } = setUpRequests([UNKNOWN]);
    undoAnswers.push(REFUSED, DENIED);
    acquire();
    await clock.advance(DAY_MS);
    expect(undone).toHaveLength(2);
    expect(givenUp).toEqual([{ name: 'n', request: 'acquire', count: 2, error: DENIED }]);
  });

  it.each(['connection', 'answer'])('does not need the %s to delete its key', async (missing) => {
    const { clock, commands, acquire, discarded } = setUpRequests([TAKEN], { duration: 10 });
    if (missing === 'answer') commands.answer = () => Promise.reject(UNKNOWN);
    const settled = acquire();
    await clock.advance(5);
    commands.connected = missing !== 'connection';
    await clock.advance(DAY_MS);
    expect(settled).toMatchObject([{ at: 10, value: { outcome: 'taken' } }]);
    expect(discarded()).toHaveLength(missing === 'connection' ? 0 : 1);
  });
});

describe('A change with an idempotency key', () => {
  it.each<readonly [answers: string, discardedAt: number, readonly Answer[]]>([
    ['answered', 0, [SET]],
    ['late, then answered', 0, [LATE, SET]],
    // A copy of the first try may still be on its way. Without the key it would have a second effect.
    ['unknown, then answered', 60_000, [UNKNOWN, SET]],
    ['refused, then answered', 60_000, [REFUSED, SET]],
  ])('(%s) has one key and one deadline; the key is deleted after %i ms', async (_, discardedAt, answers) => {
    const { aDayAfter, change, sent, keys, discarded } = setUpRequests(answers);
    const settled = await aDayAfter(change);
    expect(settled).toEqual([{ at: 0, value: { outcome: 'set', count: 0 } }]);
    expect(keys()).toHaveLength(1);
    expect(sent).toMatchObject(answers.map(() => ({ at: 0, notAfter: 1000, deadline: 1000 })));
    expect(discarded()).toEqual([['counter/forget', keys()[0], discardedAt]]);
  });

  it.each<readonly [answers: string, settles: number, discarded: readonly number[], Error, readonly Answer[]]>([
    ['refused twice', 100, [60_100], REFUSED, [REFUSED, REFUSED]],
    ['refused, then unknown', 1001, [60_100], UNKNOWN, [REFUSED, UNKNOWN]],
    ['unknown, then refused', 1001, [60_100], UNKNOWN, [UNKNOWN, REFUSED]],
    ['unknown, then refused for good', 1001, [60_100], UNKNOWN, [UNKNOWN, DENIED]],
    ['refused, then for good', 100, [], DENIED, [REFUSED, DENIED]],
    ['refused for good', 50, [], DENIED, [DENIED]],
  ])('(%s) fails at %i ms: when it cannot take effect any more', async (_, settles, discardedAt, error, answers) => {
    const { aDayAfter, clock, change, times, keys, discarded, givenUp } = setUpRequests(answers, { duration: 50 });
    const settled = await aDayAfter(change);
    expect(settled).toEqual([{ at: settles, error }]);
    expect(times()).toHaveLength(answers.length);
    expect(discarded()).toEqual(discardedAt.map((at) => ['counter/forget', keys()[0], at]));
    expect(givenUp).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is not repeated if the first attempt took all the time', async () => {
    const { aDayAfter, change, times } = setUpRequests([UNKNOWN], { duration: 1000 });
    const settled = await aDayAfter(change);
    expect(settled).toEqual([{ at: 1001, error: UNKNOWN }]);
    expect(times()).toEqual([0]);
  });

  it('keeps its key on the server if there is no connection when it could be deleted', async () => {
    const { clock, commands, change, discarded } = setUpRequests([UNKNOWN, SET]);
    change();
    await clock.advance(59_000);
    commands.connected = false;
    await clock.advance(1500);
    commands.connected = true;
    await clock.advance(DAY_MS);
    expect(discarded()).toEqual([]);
  });

  it.each<readonly [answers: string, discardedAt: number, readonly Answer[]]>([
    ['first', 0, [SET]],
    ['second', 60_000, [UNKNOWN, SET]],
  ])(
    'fails if too few replicas have it at its %s attempt, and still deletes its key',
    async (_, discardedAt, answers) => {
      const { clock, change, keys, discarded } = setUpRequests(answers, { withReplicas: true });
      const settled = change();
      await clock.advance(DAY_MS);
      const message =
        'Only 0 of 1 replicas had the change of "n" within 100 ms; it remains, but a fail-over may lose it';
      expect(settled).toMatchObject([{ at: 0, error: { outcome: 'unknown', message } }]);
      expect(discarded()).toEqual([['counter/forget', keys()[0], discardedAt]]);
    },
  );
});
