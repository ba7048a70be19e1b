import type { GivenUp } from '../../lib/backend/backend-listener.js';
import { RedisCounter, RedisLatch, RedisSemaphore } from '../../lib/backend/kinds/counters/counters.js';
import { IdempotentRequests } from '../../lib/backend/commands/idempotent-requests.js';
import { RedisPermits } from '../../lib/backend/kinds/permits/permits.js';
import { ScriptedCommands, unavailable } from './scripted-commands.js';

const setUp = () => {
  const commands = new ScriptedCommands();
  const { scheduler, clock } = commands;
  const givenUp: GivenUp[] = [];
  const requests = new IdempotentRequests(commands, scheduler, (what) => void givenUp.push(what));
  const channels = { channelOf: (name: string) => name, whenSet: String, whenDeleted: '' };
  const counter = new RedisCounter(commands, requests, scheduler, channels);
  const permits = new RedisPermits(commands, requests, scheduler, (what) => void givenUp.push(what));
  const semaphore = new RedisSemaphore(commands, requests, scheduler);
  const latch = new RedisLatch(commands, requests, scheduler);
  return { commands, clock, requests, counter, permits, semaphore, latch, givenUp };
};

/** The error of a call that settles within `ms` of the clock. */
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
    'D29: rejects with the first error, and is not repeated without time: %s',
    async (change) => {
      const { commands, clock, counter, permits } = setUp();
      commands.connected = false;
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
      commands.connected = false;
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
    'D29: reports an unknown outcome for %s if the first attempt may have been executed, whatever became of the second',
    async (release) => {
      const { commands, clock, permits } = setUp();
      const id = '0'.repeat(32);
      commands.answer = async () => {
        commands.connected = false;
        throw unavailable('unknown', 'no reply');
      };
      const call = release === 'release' ? permits.release('p', id) : permits.releaseAll('p', [id]);
      const error = await errorOf(call, clock, 1000);
      expect(error).toMatchObject({ outcome: 'unknown', message: 'no reply' });
      await Promise.all([permits.finish(0), clock.advance(2000)]);
    },
  );
});

/**
 * The time for which a try waits for the connection in a long outage. It makes a thousand tries a day, instead of
 * 40,000.
 */
const LONG_WAIT_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Bench = ReturnType<typeof setUp>;

/**
 * Requests that leave a marker: the call, the script that undoes or completes it, and the report if that is given up.
 */
const REQUESTS = [
  ['acquire', 2, ({ semaphore }: Bench) => semaphore.take('s', 2), 'semaphore/undo', ['undone', 0]],
  ['drain', undefined, ({ semaphore }: Bench) => semaphore.drain('s'), 'semaphore/undo', ['undone', 0]],
  ['release', 3, ({ semaphore }: Bench) => semaphore.release('s', 3), 'semaphore/release', ['released', '', 0, 3]],
  ['count-down', 1, ({ latch }: Bench) => latch.countDown('s'), 'counter/count-down', ['counted', '', 0]],
] as const;

describe.each(REQUESTS)('A request (%s) whose reply was lost in an outage', (request, count, call, follower, done) => {
  const lost = async (bench: Bench): Promise<void> => {
    bench.commands.answer = async () => {
      bench.commands.connected = false;
      throw unavailable('unknown', 'no reply');
    };
    const error = await errorOf(call(bench), bench.clock, 2000);
    expect(error).toMatchObject({ outcome: 'unknown' });
  };

  it.each([
    ['85 seconds', 85_000],
    ['ten hours', 10 * HOUR_MS],
  ])('D18: is completed by its idempotency key after an outage of %s', async (_, outage) => {
    const bench = setUp();
    const { commands, clock } = bench;
    await lost(bench);
    const [first] = commands.sent;
    expect(first?.args['keep']).toBeGreaterThan(DAY_MS);
    commands.commandTimeout = LONG_WAIT_MS;
    await clock.advance(outage);
    const before = commands.sent.length;
    // The zero is a placeholder for the server's time.
    commands.answer = async () => done.map((part) => (part === 0 ? Math.floor(clock.now()) : part));
    commands.connected = true;
    await clock.advance(2000);
    const [followed, ...more] = commands.sent.slice(before);
    expect(followed).toMatchObject({ script: follower, keys: { marker: first?.keys['marker'] } });
    expect(more).toEqual([]);
    expect(bench.givenUp).toEqual([]);
    expect(commands.errors).toEqual([]);
  });

  it('D18: is given up after a day, and reported with name and number', async () => {
    const bench = setUp();
    await lost(bench);
    bench.commands.commandTimeout = LONG_WAIT_MS;
    await bench.clock.advance(DAY_MS);
    expect(bench.givenUp).toEqual([]);
    await bench.clock.advance(DAY_MS / 2);
    expect(bench.givenUp).toEqual([
      { name: 's', request, count, error: expect.objectContaining({ outcome: 'not-sent' }) },
    ]);
  });

  it('D18: is given up if Redis refuses it permanently, and reported', async () => {
    const bench = setUp();
    await lost(bench);
    bench.commands.answer = () => Promise.reject(unavailable('refused', 'NOPERM', true));
    bench.commands.connected = true;
    await bench.clock.advance(2000);
    expect(bench.givenUp).toEqual([
      { name: 's', request, count, error: expect.objectContaining({ message: 'NOPERM' }) },
    ]);
  });

  it('D18: is given up at the end of the application, and reported once', async () => {
    const bench = setUp();
    await lost(bench);
    const finished = bench.requests.finish(500);
    await bench.clock.advance(500);
    await finished;
    expect(bench.givenUp).toMatchObject([{ name: 's', request, count }]);
    await bench.clock.advance(10_000);
    expect(bench.givenUp).toHaveLength(1);
  });

  it('D18: is sent once more at the end of the application, although the next attempt would be later', async () => {
    const bench = setUp();
    const { commands, clock, requests } = bench;
    await lost(bench);
    commands.connected = true;
    commands.answer = () => Promise.reject(unavailable('refused', 'OOM'));
    await clock.advance(10 * 60_000);
    commands.answer = async () => done.map((part) => (part === 0 ? Math.floor(clock.now()) : part));
    const before = commands.sent.length;
    const finished = requests.finish(500);
    await clock.advance(0);
    await finished;
    expect(commands.sent.slice(before)).toMatchObject([{ script: follower }]);
    expect(bench.givenUp).toEqual([]);
  });
});

describe('Idempotency keys', () => {
  it('D18: stay few: a key whose request was answered at the second attempt is deleted when no copy can arrive', async () => {
    const { commands, clock, counter } = setUp();
    let tries = 0;
    commands.answer = async ({ script }) => {
      if (script === 'counter/forget') return [1];
      if (++tries === 1) throw unavailable('unknown', 'no reply');
      return ['set', '', clock.now()];
    };
    await expect(counter.trySet('c', 1)).resolves.toBe(true);
    const [first] = commands.sent;
    await clock.advance(50_000);
    expect(commands.sent).toHaveLength(2);
    await clock.advance(10_000);
    expect(commands.sent[2]).toMatchObject({ script: 'counter/forget', keys: { marker: first?.keys['marker'] } });
  });
});

describe('A permit with an id', () => {
  const id = '0'.repeat(32);

  it.each([
    ['acquire', ({ permits }: Bench) => permits.acquire({ name: 'p', ids: [id], lease: Infinity })],
    ['release', ({ permits }: Bench) => permits.release('p', id)],
  ] as const)('D18: whose %s is given up at the end of the application is reported', async (request, call) => {
    const bench = setUp();
    await errorOf(call(bench), bench.clock, 2000);
    const finished = bench.permits.finish(500);
    await bench.clock.advance(500);
    await finished;
    expect(bench.givenUp).toMatchObject([{ name: 'p', request, count: 1, error: { outcome: 'unknown' } }]);
  });

  it('D18: that its lease returns is not reported', async () => {
    const bench = setUp();
    const call = bench.permits.acquire({ name: 'p', ids: [id], lease: 5000 });
    await errorOf(call, bench.clock, 10_000);
    expect(bench.givenUp).toEqual([]);
  });
});
