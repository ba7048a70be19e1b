import { settlementOf } from './answers-in-order.js';
import {
  type Answer,
  DAY_MS,
  DENIED,
  LATE,
  NOT_SENT,
  REFUSED,
  RELEASED,
  setUpRequests,
  UNKNOWN,
  WRONG_TYPE,
} from './idempotent-requests-bench.js';

describe('A request with an idempotency key that is completed in the background', () => {
  it.each<readonly [answers: string, discardedAt: number, readonly Answer[]]>([
    ['answered', 0, [RELEASED]],
    ['unknown, then answered', 60_000, [UNKNOWN, RELEASED]],
  ])('(%s) deletes its key after %i ms and has nothing to complete', async (_, discardedAt, answers) => {
    const { aDayAfter, complete, keys, discarded } = setUpRequests(answers);
    const settled = await aDayAfter(complete);
    expect(settled).toEqual([{ at: 0, value: { outcome: 'released', count: 3 } }]);
    expect(discarded()).toEqual([['counter/forget', keys()[0], discardedAt]]);
  });

  it('has a full command time-out for its second attempt, and is repeated in the background with its key', async () => {
    const answers = [UNKNOWN, UNKNOWN, REFUSED, LATE, NOT_SENT, UNKNOWN, RELEASED];
    const { aDayAfter, clock, complete, sent, keys, discarded, givenUp } = setUpRequests(answers, { duration: 500 });
    const settled = await aDayAfter(complete);
    expect(settled).toEqual([{ at: 1000, error: UNKNOWN }]);
    expect(sent.map(({ at, deadline }) => [at, deadline])).toEqual([
      [0, 1000],
      [500, 1500],
      [1000, 2000],
      [1600, 2600],
      [2100, 2600],
      // The deadline passed before another try, so the request was not sent, and is repeated after a pause.
      [2760, 3760],
      [3486, 4486],
    ]);
    expect(keys()).toHaveLength(1);
    expect(discarded()).toEqual([['counter/forget', keys()[0], 63_986]]);
    expect(givenUp).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each<readonly [answers: string, Error, readonly Answer[]]>([
    ['refused for good', DENIED, [DENIED]],
    ['refused, then for good', DENIED, [REFUSED, DENIED]],
  ])('(%s) is not repeated', async (_, error, answers) => {
    const { aDayAfter, complete, times, givenUp } = setUpRequests(answers);
    const settled = await aDayAfter(complete);
    expect(settled).toEqual([{ at: 0, error }]);
    expect(times()).toHaveLength(answers.length);
    expect(givenUp).toEqual([]);
  });

  it.each<readonly [answers: string, object, readonly Answer[]]>([
    ['unknown, then refused for good', DENIED, [UNKNOWN, DENIED, DENIED]],
    ['unknown, then a key of another type', { code: 'LOCK_KEY_TYPE' }, [UNKNOWN, REFUSED, REFUSED, WRONG_TYPE]],
  ])('(%s) is given up in the background, and that is reported', async (_, error, answers) => {
    const { aDayAfter, complete, times, givenUp, discarded } = setUpRequests(answers);
    const settled = await aDayAfter(complete);
    expect(settled).toEqual([{ at: 0, error: UNKNOWN }]);
    expect(times()).toHaveLength(answers.length);
    expect(givenUp).toMatchObject([{ name: 'n', request: 'release', count: 3, error }]);
    expect(discarded()).toEqual([]);
  });

  it.each<readonly [outcome: string, atServer: number, tries: number, reports: readonly object[]]>([
    ['is sent again', DAY_MS, 3, []],
    // The server may have forgotten the key by then, and would execute it a second time.
    ['is given up', DAY_MS + 1, 2, [{ error: { outcome: 'unknown', permanent: true, lockName: 'n' } }]],
  ])('%s where the clock of the server shows %i ms after the first try', async (_, atServer, tries, reports) => {
    const { clock, commands, complete, times, givenUp } = setUpRequests([UNKNOWN, UNKNOWN, RELEASED], { duration: 10 });
    complete();
    await clock.advance(15);
    expect(times()).toEqual([0, 10]);
    // The second try ends at 20 ms. Then the first try in the background begins.
    commands.suspendedFor = atServer - 20;
    await clock.advance(60_000);
    expect(times()).toHaveLength(tries);
    expect(givenUp).toMatchObject(reports);
    expect(givenUp).toHaveLength(reports.length);
  });

  it('goes on until enough replicas have its effect, and deletes its key when no copy can arrive', async () => {
    const bench = setUpRequests([RELEASED, RELEASED, UNKNOWN, RELEASED], { withReplicas: true });
    const { clock, commands, complete, times, keys, discarded, givenUp } = bench;
    const settled = complete();
    await clock.advance(150);
    expect(settled).toMatchObject([{ at: 0, error: { outcome: 'unknown', permanent: false } }]);
    commands.replicas = async () => 1;
    await clock.advance(DAY_MS);
    expect(times()).toEqual([0, 0, 100, 200]);
    expect(discarded()).toEqual([['counter/forget', keys()[0], 60_200]]);
    expect(givenUp).toEqual([]);
  });

  it('fails and is not repeated if replicas cannot be counted', async () => {
    const { aDayAfter, commands, complete, times, givenUp } = setUpRequests([RELEASED], { withReplicas: true });
    commands.replicas = () => Promise.reject(DENIED);
    const settled = await aDayAfter(complete);
    expect(settled).toMatchObject([{ at: 0, error: { permanent: true } }]);
    expect(times()).toEqual([0]);
    expect(givenUp).toEqual([]);
  });

  it('that is answered after the end of the background was reported once and is not sent again', async () => {
    const { clock, requests, complete, times, givenUp } = setUpRequests([REFUSED, REFUSED, RELEASED], {
      duration: 300,
    });
    complete();
    await clock.advance(650);
    const finished = settlementOf(requests.finish(100), clock);
    await clock.advance(DAY_MS);
    expect(finished).toMatchObject([{ at: 750 }]);
    expect(times()).toEqual([0, 300, 600]);
    expect(givenUp).toEqual([{ name: 'n', request: 'release', count: 3, error: REFUSED }]);
    expect(clock.pending).toBe(0);
  });

  it('that fails twice after the end of the background is reported at once and is not sent again', async () => {
    const { aDayAfter, requests, complete, times, givenUp } = setUpRequests([REFUSED, UNKNOWN]);
    await requests.finish(100);
    const settled = await aDayAfter(complete);
    expect(settled).toEqual([{ at: 0, error: UNKNOWN }]);
    expect(times()).toEqual([0, 0]);
    expect(givenUp).toEqual([{ name: 'n', request: 'release', count: 3, error: UNKNOWN }]);
  });
});
