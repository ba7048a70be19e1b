import type { RedisLock } from '../../lib/backend/kinds/lock/redis-lock.js';
import { type Answer, settlementOf } from './answers-in-order.js';
import { acquired, freed, NOT_SENT, notHeld, REFUSED, REQUEST, setUpLock, UNKNOWN } from './scripted-lock.js';

describe('Releasing a lock', () => {
  it.each<readonly [first: string, second: string, outcome: object, answers: readonly Answer[]]>([
    ['released', 'not sent', { outcome: 'released', heard: 3, asking: 2 }, [[3, 2, 'released']]],
    ['not held', 'not sent', { outcome: 'not-held' }, [notHeld]],
    ['unknown', 'released', { outcome: 'released', heard: 3, asking: 2 }, [UNKNOWN, [3, 2, 'released']]],
    ['unknown', 'not held', { outcome: 'released-before' }, [UNKNOWN, notHeld]],
    ['refused', 'released', { outcome: 'released' }, [REFUSED, freed]],
    ['refused', 'not held', { outcome: 'not-held' }, [REFUSED, notHeld]],
    ['not written', 'not held', { outcome: 'not-held' }, [NOT_SENT, notHeld]],
  ])('(first try %s, second try %s) resolves with what the first try did', async (_1, _2, value, answers) => {
    const { clock, lock, log } = setUpLock(answers);
    const settled = settlementOf(lock.release(REQUEST), clock);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: 0, value }]);
    expect(log()).toEqual(answers.map(() => ['lock/release', 0]));
  });

  it.each([
    ['unknown', 'refused', UNKNOWN, REFUSED, UNKNOWN],
    ['refused', 'unknown', REFUSED, UNKNOWN, UNKNOWN],
    ['refused', 'not written', REFUSED, NOT_SENT, REFUSED],
  ])(
    '(first try %s, second try %s) fails, and goes on until there is an answer',
    async (_1, _2, first, second, error) => {
      const { clock, lock, log } = setUpLock([first, second, REFUSED, UNKNOWN, notHeld]);
      const settled = settlementOf(lock.release(REQUEST), clock);
      await clock.advance(60_000);
      expect(settled).toEqual([{ at: 0, error }]);
      expect(log().map(([, at]) => at)).toEqual([0, 0, 0, 100, 200]);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('A silent lock', () => {
  const silently = { ...REQUEST, silent: true };
  const keep = 50;

  it.each<
    readonly [
      what: string,
      withReplicas: boolean,
      answers: readonly Answer[],
      ask: (lock: RedisLock) => Promise<unknown>,
    ]
  >([
    ['a release', false, [freed], (lock) => lock.release(silently)],
    [
      'a release that goes on in the background',
      false,
      [REFUSED, UNKNOWN, REFUSED, freed],
      (lock) => lock.release(silently),
    ],
    [
      'the release of an orphan',
      false,
      [UNKNOWN, REFUSED, ...Array.from({ length: 11 }, () => freed)],
      (lock) => lock.acquire(silently),
    ],
    ['the release of what too few replicas have', true, [acquired, freed], (lock) => lock.acquire(silently)],
    [
      'the release of what was left behind in vain',
      false,
      [REFUSED, REFUSED, REFUSED, freed],
      (lock) => lock.leaveBehind({ ...silently, keep }),
    ],
    ['a forced release', false, [['released', '', 0]], (lock) => lock.forceRelease(silently)],
  ])('announces nothing on %s', async (_, withReplicas, answers, ask) => {
    const { commands, clock, lock } = setUpLock(answers, { withReplicas });
    settlementOf(ask(lock), clock);
    await clock.advance(60_000);
    const releases = commands.sent.filter(({ script }) => script.endsWith('release'));
    expect(releases.length).toBeGreaterThan(0);
    expect(releases.map(({ args }) => args['publish'])).toEqual(releases.map(() => ''));
  });
});

describe('Ending the hold of another owner by force', () => {
  it.each<readonly [error: string, Answer, object]>([
    ['an unknown outcome', UNKNOWN, UNKNOWN],
    ['a refusal', REFUSED, REFUSED],
    ['another type of key', ['wrong-type', 'list', 0], { code: 'LOCK_KEY_TYPE' }],
  ])(
    'fails with %s, once the server refuses it, and is not repeated: by then another owner may hold',
    async (_, answer, error) => {
      const { clock, lock, log } = setUpLock([answer]);
      const settled = settlementOf(lock.forceRelease({ name: 'n' }), clock);
      await clock.advance(60_000);
      expect(settled).toMatchObject([{ at: error === UNKNOWN ? 1001 : 0, error }]);
      expect(log()).toHaveLength(1);
    },
  );
});
