import { isTryAgain, unavailable as asUnavailable } from '../../lib/backend/connection/reply-errors.js';
import { type Answer, type LateAnswer, settlementOf } from './answers-in-order.js';
import { DENIED, LEASE, REFUSED, setUpLock, UNKNOWN } from './scripted-lock.js';
import { ScriptedCommands, type SentScript } from './scripted-commands.js';

const held = ({ at }: SentScript) => ['held', at];
const renewed =
  (...flags: readonly number[]) =>
  ({ at }: SentScript) => ['renewed', at, ...flags];

const holdOf = (owner: string, count = 2) => ({ name: 'n', owner, count, lease: LEASE });
const renewalOf = (name: string) => ({ name, owner: `owner of ${name}`, lease: LEASE });

/** An error reply of a server, as it comes from a connection. */
const errorReply = (message: string) =>
  asUnavailable(undefined, Object.assign(new Error(message), { name: 'ReplyError' }));

const TRY_AGAIN = errorReply('TRYAGAIN Multiple keys request during rehashing of slot');
const BROKEN_OFF = errorReply('ERR Script attempted to access a non local key in a cluster node');

describe('A hold command', () => {
  it.each<readonly [error: string, settles: number, Answer, object]>([
    ['a refusal', 100, REFUSED, REFUSED],
    ['a refusal for good', 100, DENIED, DENIED],
    // The call settles late, so that the command cannot arrive after the owner's next one.
    ['an unknown outcome', 1001, UNKNOWN, UNKNOWN],
    ['an unexpected reply', 100, ['held'], { message: expect.stringContaining('No reply of lock/hold') }],
  ])('fails after %s at %i ms, and is not repeated', async (_, settles, answer, error) => {
    const { clock, lock, log } = setUpLock([{ after: 100, answer }]);
    const settled = settlementOf(lock.hold(holdOf('me:1')), clock);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: settles, error }]);
    expect(log()).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('waits until no earlier command of its owner can arrive, and does not wait for those of other owners', async () => {
    const { clock, lock, log } = setUpLock([{ after: 100, answer: UNKNOWN }, held, held]);
    const first = settlementOf(lock.hold(holdOf('me:1')), clock);
    await clock.advance(500);
    const second = settlementOf(lock.hold(holdOf('me:1', 1)), clock);
    const foreign = settlementOf(lock.hold(holdOf('me:2')), clock);
    await clock.advance(60_000);
    expect(first).toMatchObject([{ at: 1001, error: UNKNOWN }]);
    expect(foreign).toMatchObject([{ at: 500 }]);
    expect(second).toMatchObject([{ at: 1001, value: { outcome: 'held', sent: { startedAt: 1001 } } }]);
    expect(log().map(([, at]) => at)).toEqual([0, 500, 1001]);
  });

  it.each<readonly [outcome: string, sentAt: number, Answer]>([
    ['succeeded', 500, renewed(1)],
    ['was refused', 500, REFUSED],
    ['could not tell what it did', 1001, renewed(-1)],
    ['has no answer', 1001, UNKNOWN],
  ])('after a renewal that %s is sent at %i ms', async (_, sentAt, answer) => {
    const { clock, lock, log } = setUpLock([{ after: 100, answer }, held]);
    const renewal = renewalOf('n');
    settlementOf(lock.renew([renewal]), clock);
    await clock.advance(500);
    const settled = settlementOf(lock.hold({ ...renewal, count: 1 }), clock);
    await clock.advance(60_000);
    expect(settled).toMatchObject([{ at: sentAt, value: { outcome: 'held' } }]);
    expect(log()[1]).toEqual(['lock/hold', sentAt]);
  });
});

/** Locks whose names begin with one digit are in one shard. */
class ShardedCommands extends ScriptedCommands {
  override shardOf(key = ''): number {
    return Number(key[0]);
  }
}

describe('Renewing several locks', () => {
  const setUp = (answersOf: Readonly<Record<string, readonly (Answer | LateAnswer)[]>>) => {
    const bench = setUpLock([], { commands: new ShardedCommands() });
    const { commands } = bench;
    const left = new Map(Object.entries(answersOf).map(([locks, answers]) => [locks, [...answers]]));
    commands.answer = async (sent) => {
      const next = left.get(String(sent.keys['locks']))?.shift();
      if (next === undefined) throw new Error(`No answer for ${String(sent.keys['locks'])}`);
      const { after, answer } = 'after' in next ? next : { after: 0, answer: next };
      if (after > 0) await commands.scheduler.pause(after);
      if (answer instanceof Error) throw answer;
      return typeof answer === 'function' ? answer(sent) : answer;
    };
    const renew = (...names: readonly string[]) => settlementOf(bench.lock.renew(names.map(renewalOf)), bench.clock);
    const sentLocks = () => commands.sent.map(({ keys, at }) => [String(keys['locks']), at]);
    return { ...bench, renew, sentLocks };
  };

  it('takes one command for each shard, and reports them in the order in which they were asked for', async () => {
    const { clock, renew, sentLocks } = setUp({
      '1a,1b': [{ after: 20, answer: renewed(1, 0) }],
      '2a': [{ after: 10, answer: renewed(1) }],
    });
    const settled = renew('1a', '2a', '1b');
    await clock.advance(1000);
    expect(sentLocks()).toEqual([
      ['1a,1b', 0],
      ['2a', 0],
    ]);
    expect(settled).toEqual([
      { at: 20, value: { sent: expect.objectContaining({ startedAt: 0 }), held: [true, true, false] } },
    ]);
  });

  it.each([
    ['refuses', REFUSED],
    ['gives no answer', UNKNOWN],
    ['does not allow it', DENIED],
  ])('renews those of one shard while another %s', async (_, failure) => {
    const { clock, renew, sentLocks } = setUp({ '1a': [failure], '2a,2b': [renewed(1, 0)] });
    const settled = renew('2a', '1a', '2b');
    await clock.advance(1000);
    expect(settled).toMatchObject([{ at: 0, value: { held: [true, undefined, false], failure } }]);
    expect(sentLocks()).toHaveLength(2);
  });

  it.each([
    ['refused because some keys have moved', TRY_AGAIN],
    ['broken off at a key that has moved', BROKEN_OFF],
  ])('renews each of them if the command for all was %s', async (_, error) => {
    const { clock, renew, sentLocks } = setUp({
      '1a,1b,1c': [error],
      '1a': [renewed(1)],
      '1b': [REFUSED],
      '1c': [{ after: 10, answer: renewed(0) }],
    });
    const settled = renew('1a', '1b', '1c');
    await clock.advance(1000);
    expect(sentLocks()).toEqual([
      ['1a,1b,1c', 0],
      ['1a', 0],
      ['1b', 0],
      ['1c', 0],
    ]);
    expect(settled).toMatchObject([{ at: 10, value: { held: [true, undefined, false], failure: REFUSED } }]);
  });

  it('does not repeat the command of a single lock whose keys have moved', async () => {
    const { clock, renew, sentLocks } = setUp({ '1a': [TRY_AGAIN] });
    expect(isTryAgain(TRY_AGAIN)).toBe(true);
    const settled = renew('1a');
    await clock.advance(1000);
    expect(settled).toEqual([{ at: 0, error: TRY_AGAIN }]);
    expect(sentLocks()).toHaveLength(1);
  });

  it('reports the unknown ones, and only their owners wait before the next hold', async () => {
    const { clock, lock, commands, renew } = setUp({ '1a,1b,1c': [renewed(1, -1, 0)] });
    const settled = renew('1a', '1b', '1c');
    await clock.advance(100);
    expect(settled).toMatchObject([
      { value: { held: [true, undefined, false], failure: { outcome: 'unknown', lockName: '1b' } } },
    ]);
    commands.answer = async ({ at }) => ['held', at];
    const holds = ['1a', '1b', '1c'].map((name) => settlementOf(lock.hold({ ...renewalOf(name), count: 1 }), clock));
    await clock.advance(5000);
    expect(holds).toMatchObject([[{ at: 100 }], [{ at: 1001 }], [{ at: 100 }]]);
  });
});
