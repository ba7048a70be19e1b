import type { CarriedEntry, WaitingEntry } from '../../lib/backend/lock-operations.js';
import { GrantingLockScripts, RedisGrantingLock } from '../../lib/backend/kinds/lock/granting-lock.js';
import { type Answer, answerInOrder, type LateAnswer, settlementOf } from './answers-in-order.js';
import { ScriptedCommands, type SentScript } from './scripted-commands.js';
import { freed, LEASE, NOT_SENT, notHeld, REFUSED, REQUEST, UNKNOWN } from './scripted-lock.js';

const ENTRY: WaitingEntry = { owner: 'me:2', lease: LEASE, firstLease: 3000 };
/** An answer that no script gives. */
const MALFORMED = ['?'];

const setUp = (...answers: readonly (Answer | LateAnswer)[]) => {
  const commands = new ScriptedCommands();
  const { clock, scheduler, sent } = commands;
  const run = commands.run.bind(commands);
  // As an executor reports a malformed reply.
  commands.run = (script, keys, args) =>
    run(script, keys, args).catch((error: unknown) => {
      throw error instanceof TypeError ? UNKNOWN : error;
    });
  const lock = new RedisGrantingLock(commands, scheduler, new GrantingLockScripts(commands));
  answerInOrder(commands, ...answers);
  const settled: number[] = [];
  const again: CarriedEntry = { ...ENTRY, onSettled: () => void settled.push(clock.now()) };
  const log = () => sent.map(({ script, at }) => [script, at]);
  return { commands, clock, lock, log, again, settled };
};

const at = (word: string) => (sent: SentScript) => [word, sent.at];
const withdrawn = at('withdrawn');
const acquired = (sent: SentScript) => [LEASE, sent.at];
const gone = (sent: SentScript) => ['gone', 0, '', sent.at];

describe('A release that carries an entry', () => {
  it.each<readonly [first: string, second: string, outcome: object, answers: readonly Answer[]]>([
    ['passed on', 'not sent', { outcome: 'passed-on' }, [at('passed-on')]],
    ['kept', 'not sent', { outcome: 'kept' }, [at('kept')]],
    ['free', 'not sent', { outcome: 'released' }, [freed]],
    ['not held', 'not sent', { outcome: 'not-held' }, [notHeld]],
    ['unknown', 'kept', { outcome: 'kept' }, [UNKNOWN, at('kept')]],
    ['unknown', 'passed on', { outcome: 'passed-on' }, [UNKNOWN, at('passed-on')]],
    ['unknown', 'not held', { outcome: 'released-before' }, [UNKNOWN, notHeld]],
    ['malformed', 'not held', { outcome: 'released-before' }, [MALFORMED, notHeld]],
    ['refused', 'not held', { outcome: 'not-held' }, [REFUSED, notHeld]],
    ['not written', 'not held', { outcome: 'not-held' }, [NOT_SENT, notHeld]],
  ])('(first try %s, second try %s) tells by its outcome what became of it', async (_1, _2, value, answers) => {
    const { clock, lock, log, again, settled } = setUp(...answers);
    const released = settlementOf(lock.release({ ...REQUEST, again }), clock);
    await clock.advance(60_000);
    expect(released).toMatchObject([{ at: 0, value }]);
    expect(log()).toHaveLength(answers.length);
    expect(settled).toEqual([]);
  });

  const PASSING = { unknown: UNKNOWN, refused: REFUSED, 'not written': NOT_SENT, malformed: MALFORMED };
  const pairs = Object.entries(PASSING).flatMap(([first, one]) =>
    Object.entries(PASSING).map(([second, two]) => [first, second, one, two] as const),
  );

  it.each<readonly [string, string, Answer, Answer]>(pairs)(
    '(first try %s, second try %s) settles once, when a later try without the entry is answered',
    async (_1, _2, first, second) => {
      const { commands, clock, lock, log, again, settled } = setUp(first, second, UNKNOWN, REFUSED, notHeld);
      const released = settlementOf(lock.release({ ...REQUEST, again }), clock);
      await clock.advance(60_000);
      expect(released).toMatchObject([{ at: 0, error: { code: 'LOCK_UNAVAILABLE' } }]);
      expect(log().map(([, time]) => time)).toEqual([0, 0, 0, 100, 200]);
      expect(commands.sent.map(({ args }) => args['again'] !== '')).toEqual([true, true, false, false, false]);
      expect(settled).toEqual([200]);
      expect(clock.pending).toBe(0);
    },
  );

  it('settles once if it is given up at the end of the client, and a reply follows', async () => {
    const { clock, lock, again, settled } = setUp(UNKNOWN, UNKNOWN, { after: 500, answer: notHeld });
    settlementOf(lock.release({ ...REQUEST, again }), clock);
    await clock.advance(0);
    const finished = settlementOf(lock.finish(200), clock);
    await clock.advance(199);
    expect(settled).toEqual([]);
    await clock.advance(60_000);
    expect(settled).toEqual([200]);
    expect(finished).toMatchObject([{ at: 200 }]);
  });
});

describe('Waiting on the server', () => {
  const wait = { name: 'n', entry: ENTRY, isNew: true };

  it.each<readonly [string, Answer, object]>([
    ['acquired', acquired, { value: { outcome: 'acquired' } }],
    ['busy', ['busy', 500, 'other:1', 0], { value: { outcome: 'busy', remaining: 500, holder: 'other:1' } }],
    ['gone', gone, { value: { outcome: 'gone' } }],
    ['a key of another type', ['wrong-type', 0, 'list', 0], { error: { code: 'LOCK_KEY_TYPE' } }],
    ['malformed', MALFORMED, { error: { code: 'LOCK_UNAVAILABLE', outcome: 'unknown' } }],
    ['another lease', [LEASE + 1, 0], { error: { code: 'LOCK_UNAVAILABLE', outcome: 'unknown' } }],
    ['refused', REFUSED, { error: REFUSED }],
  ])('ends at once (%s)', async (_, answer, settlement) => {
    const { clock, lock, log } = setUp(answer);
    const settled = settlementOf(lock.wait(wait), clock);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: 0, ...settlement }]);
    expect(log()).toEqual([['lock/wait', 0]]);
  });
});

describe('A withdrawal', () => {
  const times = (log: readonly (readonly unknown[])[]) =>
    log.filter(([script]) => script === 'lock/withdraw').map(([, time]) => Number(time));

  it.each<readonly [string, Answer | LateAnswer]>([
    ['unknown', UNKNOWN],
    ['malformed', MALFORMED],
    ['of another lease', [LEASE + 1, 0]],
    ['on its way', { after: 5000, answer: acquired }],
  ])('is repeated until the server refuses the request for the entry (reply %s)', async (_, reply) => {
    const { clock, lock, log } = setUp(reply, ...Array.from({ length: 30 }, () => withdrawn));
    settlementOf(lock.wait({ name: 'n', entry: ENTRY, isNew: true }), clock);
    await clock.advance(0);
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    const sent = times(log());
    expect(sent.length).toBeGreaterThan(1);
    // The request may take effect until 1000 ms.
    expect(sent.at(-1)).toBeGreaterThan(1000);
    expect(sent.at(-2)).toBeLessThanOrEqual(1000);
  });

  const elsewhere = at('elsewhere');

  it('removes an entry that is on another server than the lock, and drops what its owner was given until then', async () => {
    const { clock, lock, log } = setUp(elsewhere, [1], elsewhere);
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    const removal = ['lock/remove-entry', 0];
    expect(log()).toEqual([['lock/withdraw', 0], removal, ['lock/withdraw', 0]]);
    expect(clock.pending).toBe(0);
  });
});
