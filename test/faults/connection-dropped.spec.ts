import { openTransport } from '../../lib/backend/transport.js';
import { RedisSubscriber } from '../../lib/backend/connection/redis-subscriber.js';
import { MonotonicScheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { hearLeakWarnings } from '../servers/process/leak-warnings.js';
import { FakeRedis, Raw } from './fake-redis.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { openLocks, SLOW } from './server-fixture.js';
import { serverTarget } from '../../lib/backend/redis-target.js';

/** More listeners than Node lets one event have without a warning. */
const MANY = 20;

let warnings: Error[] = [];
let stopHearing: () => void;

beforeEach(() => {
  warnings = [];
  stopHearing = hearLeakWarnings((warning) => warnings.push(warning));
});

afterEach(() => stopHearing());

/** Node warns at the end of the turn. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('A connection that goes down', () => {
  it('D21: drops its socket once, however many unsubscriptions fail with it', async () => {
    await using server = await RedisServer.start();
    await using proxy = await FaultProxy.start(server);
    const scheduler = new MonotonicScheduler(systemScheduler, (error) => warnings.push(error as Error));
    // The first connection is not what is tested, however long it takes.
    const subscriber = new RedisSubscriber(serverTarget(proxy.url), 10_000, scheduler);
    try {
      const names = Array.from({ length: MANY }, (_, index) => `channel:${index}`);
      const subscriptions = await Promise.all(names.map((name) => subscriber.subscribe(name, () => {})));
      const kept = await subscriber.subscribe('kept', () => {});
      proxy.hold();
      for (const subscription of subscriptions) subscription.cancel();
      proxy.cutAll();
      await until(() => !kept.alive, 2000, 'the cut is noticed');
      proxy.heal();
      await until(() => kept.alive, 5000, 'it listens again');
      await nextTurn();
      expect(warnings).toEqual([]);
    } finally {
      await subscriber.close();
    }
  });

  it('D21: drops its socket once, however many commands a demoted master refuses', async () => {
    const fake = await FakeRedis.start();
    const client = openLocks(fake.url, SLOW);
    try {
      await client.connected();
      fake.answer = ({ name }) =>
        name === 'acquire' ? new Raw("-READONLY You can't write against a read only replica.\r\n") : undefined;
      const tries = Array.from({ length: MANY }, (_, index) =>
        settled(() => client.locks.tryAcquire(`order:${index}`)),
      );
      for (const { error } of await Promise.all(tries)) expect(String(error)).toContain('READONLY');
      await nextTurn();
      expect(warnings).toEqual([]);
    } finally {
      await client.close();
      await fake.close();
    }
  });

  it('D21: comes back from a second drop as from the first', async () => {
    await using server = await RedisServer.start();
    const scheduler = new MonotonicScheduler(systemScheduler, (error) => warnings.push(error as Error));
    const transport = openTransport(serverTarget(server.url), { commandTimeout: 1000 }, scheduler);
    const connection = Reflect.get(transport.commands, 'connection') as {
      readonly isReady: boolean;
      reconnect(): void;
    };
    transport.commands.open();
    for (let round = 0; round < 3; round++) {
      await until(() => connection.isReady, 2000, 'it is ready');
      connection.reconnect();
      connection.reconnect();
      expect(connection.isReady).toBe(false);
    }
    await until(() => connection.isReady, 2000, 'it is back');
    await transport.close(100);
  });
});
