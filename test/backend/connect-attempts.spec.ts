import { ConnectAttempts } from '../../lib/backend/connection/connect-attempts.js';
import type { RedisClient } from '../../lib/backend/connection/redis-client.js';
import { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { until } from '../kit/until.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';

const thrown = (error: unknown): never => {
  throw error;
};

const setUp = () => {
  const clock = new ManualClock();
  const client = { options: {} as RedisClient['options'] } as RedisClient;
  const attempts = new ConnectAttempts(new MonotonicScheduler(clock, thrown));
  /** An attempt that ends after `ms`, or with its time-out. Resolves with how long it lasted, and with the pause after it. */
  const fail = async (ms: number) => {
    attempts.begin(client);
    const lasted = Math.min(ms, client.options.connectTimeout ?? Number.NaN);
    await clock.advance(lasted);
    return { lasted, pause: attempts.failed(client) };
  };
  const succeed = async (ms: number): Promise<void> => {
    attempts.begin(client);
    await clock.advance(ms);
    attempts.connected();
    attempts.succeeded();
  };
  return { client, fail, succeed };
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
    const { client, fail, succeed } = setUp();
    await succeed(500);
    await fail(Number.POSITIVE_INFINITY);
    expect(client.options).toEqual({ connectTimeout: 1500, socketTimeout: 1500 });
  });

  it('have two seconds now and then while none has succeeded: the network may be slow', async () => {
    const { fail } = setUp();
    const lasted: number[] = [];
    for (let times = 0; times < 8; times++) lasted.push((await fail(Number.POSITIVE_INFINITY)).lasted);
    expect(lasted).toEqual([2000, 800, 800, 800, 2000, 800, 800, 800]);
  });

  it.each([
    ['commands', undefined],
    ['subscriber', 1500],
    ['replication', 40_000],
  ] as const)(
    'of a connection for %s also limit each reply of the handshake, and nothing after it',
    async (role, later) => {
      await using server = await RedisServer.start();
      await using proxy = await FaultProxy.start(server);
      const connection = new RedisConnection(proxy.url, role, 1000, new MonotonicScheduler(systemScheduler, thrown), {
        prepare: () => Promise.resolve(),
      });
      closers.push(() => connection.close());
      const { options } = connection.client;
      connection.open();
      await until(() => connection.isReady);
      expect(options.socketTimeout).toBe(later);
      proxy.acceptThenSilent();
      proxy.cutAll();
      await until(() => connection.client.status === 'connect');
      const { connectTimeout } = options;
      // More than the least if the first connection took long.
      expect(connectTimeout).toBeGreaterThanOrEqual(800);
      expect(connectTimeout).toBeLessThanOrEqual(2000);
      expect(options.socketTimeout).toBe(connectTimeout);
      proxy.heal();
      await until(() => connection.isReady);
      expect(options.socketTimeout).toBe(later);
    },
  );
});
