import type { GivenUp } from '../../lib/backend/backend-listener.js';
import { IdempotentRequests } from '../../lib/backend/commands/idempotent-requests.js';
import { RedisPermits } from '../../lib/backend/kinds/permits/permits.js';
import type { PermitIds } from '../../lib/context/permit-ids.js';
import { type Answer, answerInOrder, type LateAnswer, settlementOf } from './answers-in-order.js';
import { ScriptedCommands, type SentScript, unavailable } from './scripted-commands.js';

const ID = '0'.repeat(32);
const IDS: PermitIds = [ID, '1'.repeat(32)];

const setUp = (...answers: readonly (Answer | LateAnswer)[]) => {
  const commands = new ScriptedCommands();
  const { clock, scheduler, sent } = commands;
  const givenUp: GivenUp[] = [];
  const requests = new IdempotentRequests(commands, scheduler);
  const permits = new RedisPermits(commands, requests, scheduler, (what) => void givenUp.push(what));
  answerInOrder(commands, ...answers);
  const acquire = (lease: number) => settlementOf(permits.acquire({ name: 'p', ids: IDS, lease }), clock);
  return { commands, clock, permits, acquire, givenUp, log: () => sent.map(({ script, at }) => [script, at]) };
};

/** Replies with the time of the server. */
const released = ({ at }: SentScript) => ['released', '', at];
const notHeld = ({ at }: SentScript) => ['not-held', '', at];
const allReleased = ({ at }: SentScript) => ['released', '', at, 0];

const UNKNOWN = unavailable('unknown', 'no reply');
const REFUSED = unavailable('refused', 'LOADING');
const NOT_SENT = unavailable('not-sent', 'not written');
const DENIED = unavailable('refused', 'NOPERM', true);
const WRONG_TYPE = ['wrong-type', 'list', 0, 0];

const HOUR_MS = 3_600_000;

describe('Acquiring permits', () => {
  const acquired = ['acquired', '', 0, 3, 0];
  const late = ['late', '', 0, 0, 0];

  it.each<readonly [answers: string, value: object, readonly Answer[]]>([
    ['granted', { outcome: 'acquired', sent: { startedAt: 0 } }, [acquired]],
    ['late, then granted', { outcome: 'acquired' }, [late, acquired]],
    ['not written, then granted', { outcome: 'acquired' }, [NOT_SENT, acquired]],
    ['too few', { outcome: 'busy', available: 1, isSet: true, remaining: 500 }, [['busy', '', 0, 1, 500]]],
    ['never set', { outcome: 'busy', isSet: false }, [['not-set', '', 0, 0, -1]]],
  ])('(%s) leaves nothing to the background', async (_, value, answers) => {
    const { clock, acquire, log } = setUp(...answers);
    const settled = acquire(Infinity);
    await clock.advance(HOUR_MS);
    expect(settled).toMatchObject([{ at: 0, value }]);
    expect(log()).toEqual(answers.map(() => ['permits/acquire', 0]));
  });

  it.each<readonly [error: string, Answer, object]>([
    ['a refusal', REFUSED, REFUSED],
    ['a refusal for good', DENIED, DENIED],
    ['a key of another type', ['wrong-type', 'list', 0, 0, 0], { code: 'LOCK_KEY_TYPE' }],
  ])('fails after %s with nothing to release', async (_, answer, error) => {
    const { clock, acquire, log } = setUp(answer);
    const settled = acquire(Infinity);
    await clock.advance(HOUR_MS);
    expect(settled).toMatchObject([{ at: 0, error }]);
    expect(log()).toHaveLength(1);
  });

  it('with an unknown outcome fails at once; the permits are released until they cannot be granted any more', async () => {
    const bench = setUp(UNKNOWN, ['not-held', '', 0, 0], REFUSED, ['released', '', 960, 0], UNKNOWN, [
      'not-held',
      '',
      1001,
      0,
    ]);
    const { clock, commands, acquire, log, givenUp } = bench;
    const settled = acquire(Infinity);
    await clock.advance(HOUR_MS);
    expect(settled).toEqual([{ at: 0, error: UNKNOWN }]);
    expect(log()).toEqual([
      ['permits/acquire', 0],
      ...[0, 100, 200, 241, 341].map((at) => ['permits/release-all', at]),
    ]);
    for (const { args } of commands.sent) expect(args['ids']).toEqual(IDS);
    expect(givenUp).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each<readonly [lease: string, ms: number, from: number, until: number]>([
    // The lease of the permits has ended on the server by 1350 ms, so that it takes them back.
    ['with a lease are released until that is over', 1000, 1200, 1350],
    ['without a lease are released as long as it takes', Infinity, HOUR_MS - 1001, HOUR_MS],
  ])('that may have been granted %s, without an event', async (_, lease, from, until) => {
    const { commands, clock, acquire, log, givenUp } = setUp();
    commands.answer = ({ script }) => Promise.reject(script === 'permits/acquire' ? UNKNOWN : REFUSED);
    acquire(lease);
    await clock.advance(HOUR_MS);
    const last = log().at(-1)?.[1];
    expect(last).toBeGreaterThan(from);
    expect(last).toBeLessThanOrEqual(until);
    expect(givenUp).toEqual([]);
  });

  it.each<readonly [permits: string, ms: number, reports: readonly object[]]>([
    ['with a lease are given up without an event', 60_000, []],
    [
      'without a lease are given up, and that is reported',
      Infinity,
      [{ name: 'p', request: 'acquire', count: 2, error: DENIED }],
    ],
  ])('%s where the server refuses their release for good', async (_, lease, reports) => {
    const { clock, acquire, log, givenUp } = setUp(UNKNOWN, REFUSED, DENIED);
    acquire(lease);
    await clock.advance(HOUR_MS);
    expect(log()).toHaveLength(3);
    expect(givenUp).toEqual(reports);
  });
});

describe('Releasing a permit', () => {
  it.each<readonly [first: string, second: string, outcome: string, readonly Answer[]]>([
    ['released', 'not sent', 'released', [released]],
    ['expired', 'not sent', 'expired', [['expired', '', 0]]],
    ['not held', 'not sent', 'not-held', [notHeld]],
    ['unknown', 'released', 'released', [UNKNOWN, released]],
    ['unknown', 'expired', 'expired', [UNKNOWN, ['expired', '', 0]]],
    ['unknown', 'not held', 'released', [UNKNOWN, notHeld]],
    ['refused', 'not held', 'not-held', [REFUSED, notHeld]],
    ['not written', 'not held', 'not-held', [NOT_SENT, notHeld]],
  ])('(first try %s, second try %s) resolves with "%s"', async (_1, _2, value, answers) => {
    const { clock, permits, log } = setUp(...answers);
    const settled = settlementOf(permits.release('p', ID), clock);
    await clock.advance(HOUR_MS);
    expect(settled).toEqual([{ at: 0, value }]);
    expect(log()).toEqual(answers.map(() => ['permits/release', 0]));
  });

  it.each<readonly [first: string, second: string, outcome: string, readonly Answer[]]>([
    ['released', 'not sent', 'released', [allReleased]],
    ['not held, all in the pool', 'not sent', 'not-held', [['not-held', '', 0, 0]]],
    ['unknown', 'not held, all in the pool', 'released', [UNKNOWN, ['not-held', '', 0, 0]]],
    ['unknown', 'not held, one still out', 'not-held', [UNKNOWN, ['not-held', '', 0, 1]]],
    ['refused', 'not held, all in the pool', 'not-held', [REFUSED, ['not-held', '', 0, 0]]],
  ])('of several (first try %s, second try %s) resolves with "%s"', async (_1, _2, value, answers) => {
    const { clock, permits, log } = setUp(...answers);
    const settled = settlementOf(permits.releaseAll('p', IDS), clock);
    await clock.advance(HOUR_MS);
    expect(settled).toEqual([{ at: 0, value }]);
    expect(log()).toEqual(answers.map(() => ['permits/release-all', 0]));
  });

  it.each([
    ['unknown', 'refused', UNKNOWN, REFUSED, UNKNOWN],
    ['refused', 'unknown', REFUSED, UNKNOWN, UNKNOWN],
    ['refused', 'not written', REFUSED, NOT_SENT, REFUSED],
  ])(
    '(first try %s, second try %s) fails, and goes on until there is an answer',
    async (_1, _2, first, second, error) => {
      const { clock, permits, log, givenUp } = setUp(first, second, REFUSED, UNKNOWN, notHeld);
      const settled = settlementOf(permits.release('p', ID), clock);
      await clock.advance(HOUR_MS);
      expect(settled).toEqual([{ at: 0, error }]);
      expect(log().map(([, at]) => at)).toEqual([0, 0, 0, 100, 200]);
      expect(givenUp).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  );

  it.each<readonly [answers: string, sent: number, error: object, readonly object[], readonly Answer[]]>([
    ['refused for good', 1, DENIED, [], [DENIED]],
    ['a key of another type', 1, { code: 'LOCK_KEY_TYPE' }, [], [WRONG_TYPE]],
    ['unknown, then refused for good', 3, UNKNOWN, [{ error: DENIED }], [UNKNOWN, DENIED, DENIED]],
    [
      'unknown twice, then a key of another type',
      3,
      UNKNOWN,
      [{ error: { code: 'LOCK_KEY_TYPE' } }],
      [UNKNOWN, UNKNOWN, WRONG_TYPE],
    ],
  ])(
    '(%s) is given up after %i attempts; a failure unknown to the caller is reported',
    async (_, count, error, reports, answers) => {
      const { clock, permits, log, givenUp } = setUp(...answers);
      const settled = settlementOf(permits.releaseAll('p', IDS), clock);
      await clock.advance(HOUR_MS);
      expect(settled).toMatchObject([{ at: 0, error }]);
      expect(log()).toHaveLength(count);
      expect(givenUp).toMatchObject(reports.map((report) => ({ name: 'p', request: 'release', count: 2, ...report })));
      expect(givenUp).toHaveLength(reports.length);
    },
  );
});

describe('Permits that are given up at the end, before a release was answered', () => {
  it.each<readonly [call: string, request: string, count: number]>([
    ['an acquisition', 'acquire', 2],
    ['a release', 'release', 1],
  ])('are reported with the error of %s', async (_, request, count) => {
    const { commands, clock, permits, acquire, givenUp } = setUp();
    let sent = 0;
    const asked = request === 'acquire' ? 1 : 2;
    commands.answer = () => ((sent += 1) <= asked ? Promise.reject(UNKNOWN) : new Promise(() => {}));
    if (request === 'acquire') acquire(Infinity);
    else settlementOf(permits.release('p', ID), clock);
    await clock.advance(0);
    const finished = settlementOf(permits.finish(100), clock);
    await clock.advance(100);
    expect(finished).toMatchObject([{ at: 100 }]);
    expect(givenUp).toEqual([{ name: 'p', request, count, error: UNKNOWN }]);
  });
});

describe('A change of permits that may be executed twice', () => {
  const held = ({ at }: SentScript) => ['held', '', at];
  const late = ({ at }: SentScript) => ['late', '', at];

  it.each<readonly [answers: string, settles: number, settlement: object, readonly Answer[]]>([
    ['held', 50, { value: { outcome: 'held', sent: { startedAt: 0 } } }, [held]],
    ['not held', 50, { value: { outcome: 'not-held' } }, [notHeld]],
    ['late, then held', 100, { value: { outcome: 'held', sent: { startedAt: 50 } } }, [late, held]],
    ['refused', 50, { error: REFUSED }, [REFUSED]],
    // The call settles only when the first try cannot arrive any more.
    ['unknown, then held', 1001, { value: { outcome: 'held', sent: { startedAt: 50 } } }, [UNKNOWN, held]],
    ['unknown, then refused', 1001, { error: UNKNOWN }, [UNKNOWN, REFUSED]],
    ['unknown, then refused for good', 1001, { error: UNKNOWN }, [UNKNOWN, DENIED]],
    ['unknown twice', 1001, { error: UNKNOWN }, [UNKNOWN, unavailable('unknown', 'second')]],
  ])('(%s) settles after %i ms, and nothing continues in the background', async (_, settles, settlement, answers) => {
    const { clock, permits, log } = setUp(...answers.map((answer) => ({ after: 50, answer })));
    const settled = settlementOf(permits.updateLease('p', ID, 5000), clock);
    await clock.advance(HOUR_MS);
    expect(settled).toMatchObject([{ at: settles, ...settlement }]);
    expect(log()).toEqual(answers.map((_answer, index) => ['permits/update-lease', 50 * index]));
    expect(clock.pending).toBe(0);
  });

  it('has one deadline for both tries, so that a first try of that length is the only one', async () => {
    const { clock, permits, log } = setUp({ after: 1000, answer: UNKNOWN });
    const settled = settlementOf(permits.setPermits('p', 3), clock);
    await clock.advance(HOUR_MS);
    expect(settled).toEqual([{ at: 1001, error: UNKNOWN }]);
    expect(log()).toEqual([['permits/set', 0]]);
  });
});

it.each(['lease', 'inspect'] as const)('Asking for permits (%s) is not repeated after an error', async (method) => {
  const { clock, permits, log } = setUp(UNKNOWN);
  const call = method === 'lease' ? permits.lease('p', ID) : permits.inspect('p');
  const settled = settlementOf(call, clock);
  await clock.advance(HOUR_MS);
  expect(settled).toEqual([{ at: 0, error: UNKNOWN }]);
  expect(log()).toHaveLength(1);
});
