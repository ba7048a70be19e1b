import { MarkedRequests } from '../../lib/backend/redis/marked-requests.js';
import { RedisCounter } from '../../lib/backend/redis/counter.js';
import { RedisPermits } from '../../lib/backend/redis/permits.js';
import { ScriptedCommands, unavailable } from './scripted-commands.js';

const setUp = () => {
  const commands = new ScriptedCommands();
  const { scheduler, clock } = commands;
  const requests = new MarkedRequests(commands, scheduler);
  const channels = { channelOf: (name: string) => name, whenSet: String, whenDeleted: '' };
  const counter = new RedisCounter(commands, requests, scheduler, channels);
  const permits = new RedisPermits(commands, requests, scheduler);
  return { commands, clock, requests, counter, permits };
};

/** How a call ends that takes at most `ms` of the clock. */
const errorOf = async (call: Promise<unknown>, clock: ScriptedCommands['clock'], ms: number): Promise<unknown> => {
  const error = call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await clock.advance(ms);
  return error;
};

describe('A change that cannot be sent', () => {
  it.each(['trySet', 'addPermits'] as const)(
    'D29: rejects with the first error, and is not tried again without time: %s',
    async (change) => {
      const { commands, clock, counter, permits } = setUp();
      commands.isConnected = false;
      const call = change === 'trySet' ? counter.trySet('c', 1) : permits.addPermits('c', 1);
      const error = await errorOf(call, clock, 1000);
      expect(error).toMatchObject({ outcome: 'not-sent', message: 'No connection to Redis within 1000 ms' });
      expect(commands.sent).toEqual([]);
    },
  );

  it('D29: rejects with the first error where the second try has almost no time and fails for that', async () => {
    const { commands, clock, counter } = setUp();
    commands.answer = async () => {
      await commands.scheduler.pause(990);
      commands.isConnected = false;
      throw unavailable('refused', 'LOADING');
    };
    const error = await errorOf(counter.trySet('c', 1), clock, 1000);
    expect(error).toMatchObject({ outcome: 'refused', message: 'LOADING' });
  });

  it('D29: says that the outcome is unknown where only the second try may have been executed', async () => {
    const { commands, clock, counter } = setUp();
    const errors = [unavailable('refused', 'LOADING'), unavailable('unknown', 'no reply')];
    commands.answer = async () => {
      throw errors.shift() ?? new Error('asked a third time');
    };
    const error = await errorOf(counter.trySet('c', 1), clock, 1001);
    expect(error).toMatchObject({ outcome: 'unknown', message: 'no reply' });
  });

  it.each(['release', 'releaseAll'] as const)(
    'D29: tells of %s that it may have been executed where the first try may, whatever became of the second',
    async (release) => {
      const { commands, clock, permits } = setUp();
      const id = '0'.repeat(32);
      commands.answer = async () => {
        commands.isConnected = false;
        throw unavailable('unknown', 'no reply');
      };
      const call = release === 'release' ? permits.release('p', id) : permits.releaseAll('p', [id]);
      const error = await errorOf(call, clock, 1000);
      expect(error).toMatchObject({ outcome: 'unknown', message: 'no reply' });
      await Promise.all([permits.finish(0), clock.advance(2000)]);
    },
  );
});
