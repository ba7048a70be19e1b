import { getEventListeners } from 'node:events';
import { onMasters } from '../kit/redlock-world.js';
import { track } from '../kit/time.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

/** Rows RD of the behaviour catalogue about waiting, on three masters, and the part of AB-02 for them. */
onMasters(3, (world) => {
  const { time } = world;
  const FOREIGN = 'somebody:1';

  describe('A wait for a lock on a quorum', () => {
    const listening = async (): Promise<number[]> =>
      Promise.all(world.masters.map(async ({ admin }) => Number((await admin.pubsub('NUMSUB', lockChannel('n')))[1])));

    /** The number of scripts that the first master has run. */
    const requests = async (): Promise<number> => {
      const [master] = world.masters;
      const counts = (await master?.admin.info('commandstats'))?.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g) ?? [];
      return [...counts].reduce((sum, [, calls]) => sum + Number(calls), 0);
    };

    it('ends by the messages of a release, without polling', async () => {
      const clients = [await world.open(), await world.open()];
      const hold = await clients[0]?.locks.getRedLock('n').acquire();
      const waiting = clients[1]?.locks.getRedLock('n').acquire({ wait: '20s' });
      await time.until(async () => (await listening()).join() === '1,1,1', 2000);
      await hold?.release();
      await expect(time.finish(Promise.resolve(waiting), 500 + time.slack)).resolves.toMatchObject({ isHeld: true });
    });

    it('sends no command while nothing happens, although the holder lacks a server, which it repairs and releases', async () => {
      const clients = await Promise.all([world.open(), world.open(), world.open()]);
      const [holder, ...waiters] = clients;
      const hold = await holder?.locks.getRedLock('n').acquire();
      await time.until(async () => (await world.holders('n')).every((owner) => owner === hold?.owner), 500);
      await Promise.all(world.at(2).map(({ admin }) => admin.del('n')));
      const waiting = waiters.map(({ locks }) => locks.getRedLock('n').withLock({ wait: '20s' }, () => 'done'));
      await time.until(async () => (await listening()).join() === '2,2,2', 2000);
      await time.pass(100);
      const before = await requests();
      await time.pass(300);
      expect((await requests()) - before).toBeLessThanOrEqual(2);
      await hold?.release();
      await expect(time.finish(Promise.all(waiting), 1000 + time.slack)).resolves.toEqual(['done', 'done']);
    });

    it('ends by a message although one server is down', async () => {
      const clients = [await world.open(), await world.open()];
      const hold = await clients[0]?.locks.getRedLock('n').acquire();
      await Promise.all(world.at(1).map(({ server }) => server.kill9()));
      const waiting = clients[1]?.locks.getRedLock('n').acquire({ wait: '20s' });
      const others = world.at(0, 2);
      const heard = async (): Promise<boolean> => {
        const counts = await Promise.all(others.map(({ admin }) => admin.pubsub('NUMSUB', lockChannel('n'))));
        return counts.every(([, count]) => Number(count) === 1);
      };
      await time.until(heard, 2000);
      await hold?.release();
      await expect(time.finish(Promise.resolve(waiting), 1000 + time.slack)).resolves.toMatchObject({ isHeld: true });
    });

    it('ends by the leases of which a quorum is free', async () => {
      const { locks } = await world.open();
      await Promise.all(world.at(0, 1, 2).map((master, index) => master.put('n', FOREIGN, 600 * (index + 1))));
      const start = time.now();
      await time.finish(locks.getRedLock('n').acquire({ wait: '20s' }), 1200 + time.slack);
      expect(time.now() - start).toBeGreaterThan(1000);
    });

    it('AB-02 ends with the reason of its signal and leaves nothing behind', async () => {
      const { locks } = await world.open();
      const [reason, controller] = [new Error('enough'), new AbortController()];
      const hold = await locks.getRedLock('n').acquire();
      const waiting = locks.getRedLock('n').acquire({ wait: '5s', signal: controller.signal });
      const progress = track(waiting);
      await time.until(async () => (await listening()).join() === '1,1,1', 2000);
      expect(progress.settled).toBe(false);
      controller.abort(reason);
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: reason });
      await expect(world.holders('n')).resolves.toEqual([hold.owner, hold.owner, hold.owner]);
      await time.until(async () => (await listening()).join() === '0,0,0', 1000);
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      await hold.release();
      await expect(Promise.all(world.masters.map(({ admin }) => admin.keys('*')))).resolves.toEqual([[], [], []]);
    });
  });
});
