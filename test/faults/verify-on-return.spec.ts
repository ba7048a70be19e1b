import { setTimeout as sleep } from 'node:timers/promises';
import { LockLostError, type LockEvent } from '../../lib/standalone.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { settled } from './observe.js';
import { until } from '../kit/until.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';

const world = new RedisWorld();
/** A lease that neither ends nor needs a renewal during a test. */
const LONG = '30s';

inWorld(world, () => {
  const openThroughProxy = async () => {
    const proxy = await FaultProxy.start(world.server);
    world.onReset(() => proxy.close());
    const client = await world.open({ renewedLease: LONG }, proxy.url);
    return { proxy, client };
  };

  describe.each([
    ['without a lease', {}],
    ['with a lease', { lease: LONG }],
  ] as const)('A hold %s', (_, options) => {
    it('F12 F47 that was deleted while the connection was down is lost as soon as that is back', async () => {
      const { proxy, client } = await openThroughProxy();
      const hold = await client.locks.acquire('order:1', options);
      proxy.acceptThenClose();
      proxy.cutAll();
      await world.admin.flushall();
      expect(hold.signal.aborted).toBe(false);
      proxy.heal();
      await until(() => hold.signal.aborted, 2500, 'the holder is told');
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(client.events).toContainEqual(expect.objectContaining({ type: 'lost', lockName: 'order:1' }));
      expect(await hold.release()).toBe('expired');
    });

    it('F12 that survived a cut is not lost', async () => {
      const { proxy, client } = await openThroughProxy();
      const hold = await client.locks.acquire('order:1', options);
      const before = proxy.accepted;
      proxy.cutAll();
      await until(() => proxy.accepted > before, 2500, 'the client is back');
      await client.locks.getLock('order:1').isLocked();
      await sleep(100);
      expect(hold.signal.aborted).toBe(false);
      expect(client.events).toEqual([]);
      expect(await hold.release()).toBe('released');
    });

    it('F10 is lost as soon as a server that restarted empty is back', async () => {
      const client = await world.open({ renewedLease: LONG });
      const hold = await client.locks.acquire('order:1', options);
      await world.server.restart();
      await until(() => hold.signal.aborted, 3000, 'the holder is told');
      expect(() => hold.assertHeld()).toThrow(LockLostError);
    });

    it('F47 is lost at once when this process force-releases it', async () => {
      const client = await world.open({ renewedLease: LONG });
      const told: LockEvent[] = [];
      const stop = client.locks.onEvent((event) => told.push(event));
      const hold = await client.locks.acquire('order:1', options);
      expect(await client.locks.getLock('order:1').forceRelease()).toBe(true);
      expect(hold.signal.aborted).toBe(true);
      expect(told).toEqual([expect.objectContaining({ type: 'lost', lockName: 'order:1', owner: hold.owner })]);
      stop();
    });

    it('F47 F18 is lost within a third of the watchdog time-out after the server lost it', async () => {
      const client = await world.open({ renewedLease: 1500 });
      const hold = await client.locks.acquire('order:1', options);
      await world.admin.del('order:1');
      const { ms } = await settled(() => until(() => hold.signal.aborted, 1500 / 3 + 1000, 'the holder is told'));
      expect(ms).toBeGreaterThan(0);
    });

    it('F47 is lost if another type of key has taken its name', async () => {
      const client = await world.open({ renewedLease: 1500 });
      const hold = await client.locks.acquire('order:1', options);
      await world.admin.set('order:1', 'something else');
      await until(() => hold.signal.aborted, 1500 / 3 + 1000, 'the holder is told');
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    });
  });

  it('is not lost by releases and re-entries during the verification', async () => {
    const client = await world.open({ renewedLease: 150 });
    const { locks } = client;
    const work = Array.from({ length: 20 }, async (_, n) => {
      for (let round = 0; round < 10; round++) {
        await locks.withLock(`order:${n}`, { lease: LONG }, async () => {
          await locks.withLock(`order:${n}`, () => sleep(10));
          await locks.withLock(`order:${n}`, { lease: LONG }, () => sleep(10));
        });
      }
    });
    await Promise.all(work);
    expect(client.events).toEqual([]);
  });
});
