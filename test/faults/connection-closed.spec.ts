import { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { installedDriver } from '../../lib/backend/driver/drivers.js';
import type { DriverConnection, RedisDriver } from '../../lib/backend/driver/redis-driver.js';
import { ConnectionRegistry } from '../../lib/runtime/connection-registry.js';
import { ShutdownDrain } from '../../lib/module/shutdown-drain.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { until } from '../kit/until.js';
import { useServerFixture } from './server-fixture.js';
import { serverTarget } from '../../lib/backend/redis-target.js';

const thrown = (error: unknown): never => {
  throw error;
};

/** A driver of which the test knows how many connections were destroyed. */
class RecordingDriver implements RedisDriver {
  readonly name = 'recording';
  opened = 0;
  destroyed = 0;

  async connect(...connecting: Parameters<RedisDriver['connect']>): Promise<DriverConnection> {
    const connection = await installedDriver.connect(...connecting);
    this.opened += 1;
    const destroy = connection.destroy.bind(connection);
    connection.destroy = () => {
      this.destroyed += 1;
      destroy();
    };
    return connection;
  }
}

describe('A connection to a server that has ended', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.stop());

  it.each([0, 20, 100])('D22: is closed within the %d ms that are left', async (left) => {
    await using proxy = await FaultProxy.start(server);
    const clock = new ManualClock();
    const scheduler = new MonotonicScheduler(clock, thrown);
    const driver = new RecordingDriver();
    const connection = new RedisConnection(serverTarget(proxy.url, driver), 'commands', 1000, scheduler, {
      prepare: () => Promise.resolve(),
    });
    connection.open();
    await until(() => connection.isReady, 2000, 'it is connected');
    proxy.blackhole();
    const closed = connection.close(left);
    await clock.advance(left);
    expect(driver.destroyed).toBe(driver.opened);
    await closed;
    // The timer of the deadlines, which is shared, is kept for the next command.
    scheduler.deadlines.stop();
    expect(clock.pending).toBe(0);
  });

  it('D22: is closed at the latest after half a second without a deadline', async () => {
    await using proxy = await FaultProxy.start(server);
    const clock = new ManualClock();
    const driver = new RecordingDriver();
    const connection = new RedisConnection(
      serverTarget(proxy.url, driver),
      'commands',
      1000,
      new MonotonicScheduler(clock, thrown),
      {
        prepare: () => Promise.resolve(),
      },
    );
    connection.open();
    await until(() => connection.isReady, 2000, 'it is connected');
    proxy.blackhole();
    const closed = connection.close();
    await clock.advance(500);
    expect(driver.destroyed).toBe(driver.opened);
    await closed;
  });
});

describe('The end of an application', () => {
  const fixture = useServerFixture();

  it.each([
    [200, 40],
    [500, 100],
    [2000, 400],
    [10_000, 500],
  ])('D22: leaves of a shutdownTimeout of %d ms to the connections what holders left, %d ms', async (timeout, left) => {
    const clock = new ManualClock();
    const client = fixture().open(undefined, { scheduler: clock });
    const given: number[] = [];
    const runtime = {
      ...client.runtime,
      grants: { size: 1, whenEmpty: () => new Promise<void>(() => {}), [Symbol.iterator]: () => [].values() },
      close: async (ms: number) => void given.push(ms),
    } as unknown as typeof client.runtime;
    const connections = new ConnectionRegistry(runtime, new Map([['default', runtime]]));
    const draining = new ShutdownDrain(connections, timeout, { warn: () => {} });
    const drained = draining.drain();
    await clock.advance(timeout - left);
    await drained;
    await draining.close();
    expect(given).toEqual([left]);
  });

  it.each([200, 500])('D22: in a black network has destroyed its sockets when its %d ms are over', async (timeout) => {
    const clock = new ManualClock();
    const proxy = await fixture().proxy();
    const driver = new RecordingDriver();
    const client = fixture().open(proxy.url, { scheduler: clock, driver });
    await client.connected();
    const { locks, runtime } = client;
    const draining = new ShutdownDrain(new ConnectionRegistry(runtime, new Map()), timeout, { warn: () => {} });
    await locks.acquire('order:1', { lease: '60s' });
    proxy.blackhole();
    const closed = draining.drain().then(() => draining.close());
    await clock.advance(timeout);
    expect(driver.destroyed).toBe(driver.opened);
    await closed;
  });
});
