import { createLocks, type LockEvent } from '../../lib/standalone.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { occupyLoop } from '../kit/occupy-loop.js';
import { until } from '../kit/until.js';

describe('Synchronous work that takes more than a third of a lease', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  afterAll(() => server.stop());

  it('is reported with its length, when the watchdog has renewed the lock on the server', async () => {
    await using locks = await createLocks({ connection: server.url, keyPrefix: 'app:', renewedLease: '6s' });
    const events: LockEvent[] = [];
    const hold = await locks.acquire('order:42');
    // A busy machine may be late with its connections, and has told of them by now.
    locks.onEvent((event) => void events.push(event));
    const began = performance.now();
    occupyLoop(2500);
    const took = performance.now() - began;
    await until(() => events.some(({ type }) => type === 'loop-blocked'));
    const [event] = events;
    const lock = { lockName: 'app:order:42', owner: hold.owner, method: undefined, lease: 6000, outcome: 'renewed' };
    expect(events).toEqual([{ type: 'loop-blocked', delay: expect.any(Number), locks: [lock] }]);
    const delay = event?.type === 'loop-blocked' ? event.delay : 0;
    // A beat comes every 200 ms, and one of them was due during the block.
    expect(delay).toBeGreaterThan(2300 - 1);
    expect(delay).toBeLessThan(took + 200);
    await expect(hold.release()).resolves.toBe('released');
  });
});
