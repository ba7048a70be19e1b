import { Redis } from 'ioredis';
import { ConnectAttempts } from '../../lib/backend/connection/connect-attempts.js';
import { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { until } from '../kit/until.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { serverTarget } from '../../lib/backend/redis-target.js';

const thrown = (error: unknown): never => {
  throw error;
};

const setUp = () => {
  const clock = new ManualClock();
  const attempts = new ConnectAttempts(new MonotonicScheduler(clock, thrown));
  /** An attempt that ends after `ms`, or with its time-out. Resolves with how long it lasted, and with the pause after it. */
  const fail = async (ms: number) => {
    attempts.begin();
    const lasted = Math.min(ms, attempts.timeout);
    await clock.advance(lasted);
    return { lasted, pause: attempts.failed() };
  };
  const succeed = async (ms: number): Promise<void> => {
    attempts.begin();
    await clock.advance(ms);
    attempts.connected();
    attempts.succeeded();
  };
  return { attempts, fail, succeed };
};

/** The longest time, ms, for which a server that is back waits for the next attempt. */
const LONGEST = 900;
const TIMES = 40;

const closers: (() => Promise<void>)[] = [];

describe('D52: attempts to connect', () => {
  afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

  it.each([
    ['hang in a network that swallows packets', Number.POSITIVE_INFINITY],
    ['are refused at once', 0],
    ['fail after a while', 300],
  ])('leave out less than a second between two that %s, once the connection was established', async (_, ms) => {
    const { fail, succeed } = setUp();
    await succeed(5);
    for (let times = 0; times < TIMES; times++) {
      const { lasted, pause } = await fail(ms);
      expect(lasted + pause).toBeLessThanOrEqual(LONGEST);
    }
  });

  it('have as much time on a slow network as the last one needed, three times', async () => {
    const { attempts, fail, succeed } = setUp();
    await succeed(500);
    await fail(Number.POSITIVE_INFINITY);
    expect(attempts.timeout).toBe(1500);
  });

  it('have two seconds now and then while none has succeeded: the network may be slow', async () => {
    const { fail } = setUp();
    const lasted: number[] = [];
    for (let times = 0; times < 8; times++) lasted.push((await fail(Number.POSITIVE_INFINITY)).lasted);
    expect(lasted).toEqual([2000, 800, 800, 800, 2000, 800, 800, 800]);
  });

  it.each(['commands', 'subscriber', 'replication'] as const)(
    'of a connection for %s also limit the login, and nothing after it',
    async (role) => {
      await using server = await RedisServer.start();
      await using proxy = await FaultProxy.start(server);
      const given = new Redis(proxy.url, { lazyConnect: true });
      const made: Redis[] = [];
      const duplicate = given.duplicate.bind(given);
      given.duplicate = (override) => {
        const client = duplicate(override);
        made.push(client);
        return client;
      };
      const connection = new RedisConnection(
        serverTarget(given),
        role,
        1000,
        new MonotonicScheduler(systemScheduler, thrown),
        {
          prepare: () => Promise.resolve(),
        },
      );
      closers.push(() => connection.close());
      connection.open();
      await until(() => connection.isReady);
      proxy.acceptThenSilent();
      proxy.cutAll();
      await until(() => made[1]?.status === 'connect');
      const began = performance.now();
      const { connectTimeout = 0 } = made[1]?.options ?? {};
      // More than the least if the first connection took long.
      expect(connectTimeout).toBeGreaterThanOrEqual(800);
      expect(connectTimeout).toBeLessThanOrEqual(2000);
      // The login may take as long again as the socket; then there is another attempt.
      await until(() => made.length > 2);
      expect(performance.now() - began).toBeGreaterThan(connectTimeout);
      expect(made[1]?.status).toBe('end');
      proxy.heal();
      await until(() => connection.isReady);
      expect(made.map(({ options }) => options.socketTimeout)).toEqual(made.map(() => undefined));
    },
  );
});
