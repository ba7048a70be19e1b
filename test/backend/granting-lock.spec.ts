import type { CarriedEntry, WaitingEntry } from '../../lib/backend/lock-operations.js';
import { GrantingLockScripts, RedisGrantingLock } from '../../lib/backend/kinds/lock/granting-lock.js';
import { type Answer, answerInOrder, type LateAnswer, settlementOf } from './answers-in-order.js';
import { ScriptedCommands, type SentScript } from './scripted-commands.js';
import { DENIED, freed, LEASE, NOT_SENT, notHeld, REFUSED, REQUEST, UNKNOWN } from './scripted-lock.js';

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

  it.each<readonly [string, readonly Answer[]]>([
    ['the first try', [DENIED]],
    ['the second try', [UNKNOWN, DENIED]],
    ['a later try', [UNKNOWN, UNKNOWN, DENIED]],
  ])('settles once if the server refuses %s for good', async (_, answers) => {
    const { clock, lock, log, again, settled } = setUp(...answers);
    const released = settlementOf(lock.release({ ...REQUEST, again }), clock);
    await clock.advance(60_000);
    expect(released).toMatchObject([{ at: 0, error: { code: 'LOCK_UNAVAILABLE' } }]);
    expect(log()).toHaveLength(answers.length);
    expect(settled).toEqual([0]);
  });

  it('settles when the lease of its owner must be over, if nothing was answered before', async () => {
    const { commands, clock, lock, again, settled } = setUp();
    commands.answer = () => Promise.reject(UNKNOWN);
    settlementOf(lock.release({ ...REQUEST, lease: 400, again }), clock);
    await clock.advance(400);
    expect(settled).toEqual([]);
    await clock.advance(60_000);
    expect(settled).toEqual([600]);
  });

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

  it('is settled before the client ends, so that its entry is withdrawn', async () => {
    const { clock, lock, log, settled } = setUp(UNKNOWN, UNKNOWN, { after: 50, answer: notHeld }, withdrawn);
    const onSettled = (): void => {
      settled.push(clock.now());
      lock.withdraw('n', ENTRY);
    };
    settlementOf(lock.release({ ...REQUEST, again: { ...ENTRY, onSettled } }), clock);
    await clock.advance(0);
    const finished = settlementOf(lock.finish(1000), clock);
    await clock.advance(60_000);
    expect(settled).toEqual([50]);
    expect(log().at(-1)).toEqual(['lock/withdraw', 50]);
    expect(finished).toMatchObject([{ at: 50 }]);
  });
});

describe('A release without an entry', () => {
  it('takes a reply that the lock was kept for a malformed one, and goes on until there is another', async () => {
    const { clock, lock, log } = setUp(at('kept'), at('kept'), notHeld);
    await clock.advance(1);
    const released = settlementOf(lock.release(REQUEST), clock);
    await clock.advance(60_000);
    expect(released).toMatchObject([{ at: 1, error: { code: 'LOCK_UNAVAILABLE', outcome: 'unknown' } }]);
    expect(log()).toHaveLength(3);
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

  it('is repeated if it was late, or was not written', async () => {
    const { clock, lock, log } = setUp((sent) => ['late', 0, '', sent.at], NOT_SENT, acquired);
    const settled = settlementOf(lock.wait(wait), clock);
    await clock.advance(0);
    expect(settled).toMatchObject([{ at: 0, value: { outcome: 'acquired' } }]);
    expect(log()).toHaveLength(3);
  });

  it('is not repeated after the entry was withdrawn', async () => {
    const late = (sent: { readonly at: number }): readonly unknown[] => ['late', 0, '', sent.at];
    const { clock, lock, log } = setUp({ after: 50, answer: late }, withdrawn);
    const settled = settlementOf(lock.wait(wait), clock);
    await clock.advance(20);
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: 50, value: { outcome: 'gone' } }]);
    expect(log().filter(([script]) => script === 'lock/wait')).toHaveLength(1);
  });
});

describe('A withdrawal', () => {
  const times = (log: readonly (readonly unknown[])[]) =>
    log.filter(([script]) => script === 'lock/withdraw').map(([, time]) => Number(time));

  it.each<readonly [string, readonly Answer[]]>([
    ['was answered', [['busy', 500, 'other:1', 0]]],
    ['was never sent', []],
  ])('is sent once if the request for the entry %s', async (_, answers) => {
    const { clock, lock, log } = setUp(...answers, withdrawn);
    await clock.advance(1);
    if (answers.length > 0) await lock.wait({ name: 'n', entry: ENTRY, isNew: true });
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    expect(times(log())).toEqual([1]);
  });

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

  it('is repeated until it is answered, however it fails', async () => {
    const { clock, lock, log } = setUp(UNKNOWN, REFUSED, NOT_SENT, MALFORMED, withdrawn);
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    expect(times(log())).toEqual([0, 100, 200, 300, 400]);
    expect(clock.pending).toBe(0);
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

  it.each<readonly [string, readonly Answer[]]>([
    ['removal of the entry fails', [elsewhere, UNKNOWN]],
    ['second look at the lock fails', [elsewhere, [1], UNKNOWN]],
  ])('is repeated as a whole if the %s', async (_, answers) => {
    const { clock, lock, log } = setUp(...answers, withdrawn);
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    expect(log()).toHaveLength(answers.length + 1);
    expect(log().at(-1)).toEqual(['lock/withdraw', 100]);
  });

  it('looks at the lock again if the server refuses access to the entries', async () => {
    const { clock, lock, log } = setUp(elsewhere, DENIED, elsewhere);
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    expect(times(log())).toEqual([0, 0]);
    expect(clock.pending).toBe(0);
  });

  it('is not repeated if the server refuses it for good', async () => {
    const { clock, lock, log } = setUp(DENIED);
    lock.withdraw('n', ENTRY);
    await clock.advance(60_000);
    expect(times(log())).toEqual([0]);
  });
});
