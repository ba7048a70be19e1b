import type { LockUnavailableError } from '../../lib/errors.js';
import { RedisWriteLock } from '../../lib/backend/kinds/read-write/read-write-lock.js';
import { type Answer, answerInOrder, type LateAnswer, settlementOf } from './answers-in-order.js';
import { ScriptedCommands, type SentScript } from './scripted-commands.js';
import { LEASE, NOT_SENT, notHeld, REFUSED, UNKNOWN } from './scripted-lock.js';

const SLOT = 5000;
const WRITER = 'me:1';
/** The longest time that a command of these tests may take. */
const TIMEOUT = 1000;

const busy = ({ at }: SentScript) => ['busy', -1, 'other:1', at];
const announced = ({ at }: SentScript) => ['announced', at];
const withdrawn = ({ at }: SentScript) => ['withdrawn', at];

const setUp = (...answers: readonly (Answer | LateAnswer)[]) => {
  const commands = new ScriptedCommands();
  const { clock, scheduler, sent } = commands;
  const lock: RedisWriteLock = new RedisWriteLock(commands, scheduler);
  answerInOrder(commands, ...answers);
  const writer = { id: WRITER, slot: SLOT };
  const attempt = () => settlementOf(lock.acquire({ name: 'n', owner: 'me:2', lease: LEASE, waiting: writer }), clock);
  const announce = () => settlementOf(lock.announce('n', writer), clock);
  const withdraw = () => settlementOf(lock.withdraw('n', writer), clock);
  /** When withdrawals were sent. */
  const withdrawals = () => sent.filter(({ script }) => script === 'write-lock/withdraw').map(({ at }) => at);
  const rest = () => clock.advance(60_000);
  return { commands, clock, sent, attempt, announce, withdraw, withdrawals, rest };
};

describe('D43: The withdrawal of a waiting writer', () => {
  it('is sent once if all requests that announced the writer were answered', async () => {
    const { attempt, announce, withdraw, withdrawals, rest } = setUp(busy, announced, withdrawn);
    attempt();
    announce();
    await rest();
    const done = withdraw();
    await rest();
    expect(done).toMatchObject([{ at: 60_000, value: undefined }]);
    expect(withdrawals()).toEqual([60_000]);
  });

  it.each<readonly [string, LockUnavailableError]>([
    ['got no reply', UNKNOWN],
    ['was not sent', NOT_SENT],
    ['was refused for now', REFUSED],
  ])('that %s is sent again in the background until it is confirmed', async (_, error) => {
    const { attempt, withdraw, withdrawals, rest, clock } = setUp(busy, error, error, withdrawn);
    attempt();
    await clock.advance(0);
    const done = withdraw();
    await rest();
    expect(done).toMatchObject([{ at: 0, value: undefined }]);
    expect(withdrawals()).toEqual([0, 0, 100]);
    expect(clock.pending).toBe(0);
  });

  it.each(['attempt', 'announce'] as const)(
    'is repeated until the server refuses a request that got no answer: %s',
    async (request) => {
      const world = setUp();
      const { commands, clock, withdraw, withdrawals, rest } = world;
      commands.answer = async (sent) => {
        if (sent.script === 'write-lock/withdraw') return withdrawn(sent);
        if (sent.script === 'write-lock/release') return notHeld(sent);
        throw UNKNOWN;
      };
      world[request]();
      await clock.advance(400);
      const done = withdraw();
      await rest();
      expect(done).toMatchObject([{ at: 400, value: undefined }]);
      expect(withdrawals()[0]).toBe(400);
      expect(withdrawals().filter((at) => at > TIMEOUT)).toHaveLength(1);
      expect(clock.pending).toBe(0);
    },
  );

  it('is repeated once an attempt on its way has been answered', async () => {
    const { attempt, withdraw, withdrawals, rest, clock } = setUp({ after: 50, answer: busy }, withdrawn, withdrawn);
    attempt();
    withdraw();
    await rest();
    expect(withdrawals()).toEqual([0, 0, 100]);
    expect(clock.pending).toBe(0);
  });
});
