import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import type { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import type { DriverConnection } from '../../lib/backend/driver/redis-driver.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../kit/until.js';

const world = new RedisWorld();

inWorld(world, () => {
  it.each(['commands', 'pubSub'] as const)(
    'F39 F20 a connection of the %s that the client library gave up comes back',
    async (of) => {
      // On it nothing is reported as unavailable, however long the server takes.
      const clock = new ManualClock();
      const client = await world.open({}, undefined, clock);
      const { locks, runtime } = client;
      const hold = await locks.acquire('order:1');
      const waiting = locks.acquire('order:1', { wait: '20s' });
      await until(async () => (await world.admin.pubsub('CHANNELS')).length > 0, 2000, 'somebody listens');
      const connection = Reflect.get(Reflect.get(runtime.backend, of) as object, 'connection') as RedisConnection;
      // Nothing has to be repeated later, for which the clock would have to go on.
      await until(() => connection.writes.inFlight === 0, 2000, 'all is answered');
      const current = Reflect.get(connection, 'current') as DriverConnection;
      current.destroy();
      await until(() => !connection.isOpen, 2000, 'it has ended');
      await clock.advance(1000 / 2);
      await until(() => connection.isReady, 10_000, 'it is back');
      await hold.release();
      const next = await waiting;
      expect(await next.release()).toBe('released');
      // Beside that clock, the server's clock jumps.
      expect(client.events.filter(({ type }) => type !== 'clock-jumped')).toEqual([]);
    },
  );
});
