import { getEventListeners } from 'node:events';
import { LockOptionsError, LockShutdownError, LockKeyTypeError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { latchChannel } from '../../lib/keys/redisson-keys.js';

/** Rows CL of the behaviour catalogue, and AB-05. */
onEveryBackend((world) => {
  const open = async () => (await world.open()).locks.getCountDownLatch('c');
  const listening = (clients: number) => async (): Promise<boolean> =>
    (await world.probe.subscribers(latchChannel('c'))) === clients;
  const leavesNothing = (): Promise<number> =>
    world.time.until(async () => (await world.probe.names()).length === 0, 1000);

  describe('A count-down latch', () => {
    it('CL-01 counts down to 0, is open then, and stays so', async () => {
      const latch = await open();
      for (const count of [2, 1]) {
        await latch.trySetCount(count);
        for (let left = count; left > 0; left--) {
          await expect(latch.getCount()).resolves.toBe(left);
          await expect(latch.await({ wait: 0 })).resolves.toBe(false);
          await latch.countDown();
        }
        for (let more = 0; more < 2; more++) {
          await expect(latch.getCount()).resolves.toBe(0);
          await expect(latch.await()).resolves.toBe(true);
          await latch.countDown();
        }
      }
      await leavesNothing();
    });

    it('CL-01 is open if it was never set', async () => {
      const latch = await open();
      await expect(latch.getCount()).resolves.toBe(0);
      await expect(latch.await()).resolves.toBe(true);
      await expect(latch.await({ wait: 0 })).resolves.toBe(true);
      await latch.countDown();
      await expect(latch.getCount()).resolves.toBe(0);
      await leavesNothing();
    });

    it('CL-02 keeps the count that was set first, also where that is 0', async () => {
      const latch = await open();
      await expect(latch.trySetCount(1)).resolves.toBe(true);
      await expect(latch.trySetCount(2)).resolves.toBe(false);
      await expect(latch.getCount()).resolves.toBe(1);
      await latch.countDown();
      await expect(latch.trySetCount(0)).resolves.toBe(true);
      await expect(latch.await({ wait: 0 })).resolves.toBe(true);
      await expect(latch.trySetCount(2)).resolves.toBe(false);
      await latch.countDown();
      await expect(latch.trySetCount(2)).resolves.toBe(true);
    });

    it.each([0, -1, 2 ** 31, Number.NaN, '300', 'soon', null])('refuses %p as the time to live', async (ttl) => {
      const latch = await open();
      // @ts-expect-error Only some of them have a wrong type.
      await expect(latch.trySetCount(1, { ttl })).rejects.toThrow(LockOptionsError);
      await expect(latch.getCount()).resolves.toBe(0);
    });

    it('CL-02 counts as far as numbers are whole', async () => {
      const latch = await open();
      await latch.trySetCount(Number.MAX_SAFE_INTEGER);
      await latch.countDown();
      await expect(latch.getCount()).resolves.toBe(Number.MAX_SAFE_INTEGER - 1);
    });

    it('CL-03 reports whether there was a latch to delete', async () => {
      const latch = await open();
      await latch.trySetCount(1);
      await expect(latch.delete()).resolves.toBe(true);
      await expect(latch.delete()).resolves.toBe(false);
      await leavesNothing();
    });

    it('refuses invalid counts without a command', async () => {
      const latch = await open();
      const asked = await world.probe.commands();
      for (const count of [-1, 0.5, NaN, Infinity, 2 ** 53, '1', null, undefined, 1n] as number[]) {
        await expect(latch.trySetCount(count)).rejects.toThrow(LockOptionsError);
      }
      await expect(latch.trySetCount(-1)).rejects.toThrow('-1');
      for (const options of [{ wait: -1 }, { wait: 'soon' }, { signal: 'now' }, { lease: 5 }, null] as never[]) {
        await expect(latch.await(options)).rejects.toThrow(LockOptionsError);
      }
      await expect(world.probe.commands()).resolves.toBe(asked);
    });

    it('does not touch a key of another type', async () => {
      const latch = await open();
      await world.probe.put('c', 'somebody', 60_000);
      for (const call of [
        () => latch.trySetCount(1),
        () => latch.countDown(),
        () => latch.getCount(),
        () => latch.delete(),
        () => latch.await({ wait: '1s' }),
        () => latch.await({ wait: 0 }),
      ]) {
        await expect(call()).rejects.toThrow(LockKeyTypeError);
      }
      await expect(world.probe.state('c')).resolves.toMatchObject({ owners: { somebody: 1 } });
    });
  });

  describe('Waiting for a latch', () => {
    it('CL-04 ends with true when the latch opens in time', async () => {
      const latch = await open();
      await latch.trySetCount(1);
      const waiting = latch.await({ wait: '5s' });
      await world.time.until(listening(1), 1000);
      await latch.countDown();
      await expect(world.time.finish(waiting, 200 + world.time.slack)).resolves.toBe(true);
      await world.time.until(listening(0), 1000);
      await leavesNothing();
    });

    it('CL-05 ends with false when the latch does not open in time', async () => {
      const latch = await open();
      await latch.trySetCount(1);
      const start = world.time.now();
      await expect(world.time.finish(latch.await({ wait: 300 }), 2000)).resolves.toBe(false);
      expect(world.time.now() - start).toBeGreaterThanOrEqual(298);
      expect(world.time.now() - start).toBeLessThan(300 + world.time.slack);
      await world.time.until(listening(0), 1000);
      await expect(latch.getCount()).resolves.toBe(1);
    });

    it('has no limit by default, even if the module has one', async () => {
      const latch = (await world.open({ wait: 50 })).locks.getCountDownLatch('c');
      await latch.trySetCount(1);
      const waiting = latch.await();
      const progress = track(waiting);
      await world.time.pass(150);
      expect(progress.settled).toBe(false);
      await latch.countDown();
      await expect(world.time.finish(waiting, 200 + world.time.slack)).resolves.toBe(true);
    });

    it('CL-06 ends for five handles with the last of five', async () => {
      const { locks } = await world.open();
      const latches = Array.from({ length: 5 }, () => locks.getCountDownLatch('c'));
      await latches[0]?.trySetCount(5);
      const waiting = latches.map((latch) => latch.await({ wait: '10s' }));
      const progress = track(Promise.race(waiting));
      await world.time.until(listening(1), 1000);
      await Promise.all(latches.slice(1).map((latch) => latch.countDown()));
      await world.time.pass(50);
      expect(progress.settled).toBe(false);
      await latches[0]?.countDown();
      const all = await world.time.finish(Promise.all(waiting), 200 + world.time.slack);
      expect(all).toEqual([true, true, true, true, true]);
      await expect(latches[0]?.getCount()).resolves.toBe(0);
    });

    it('CL-07 ends for 24 with the last of 24, and each finds the count at 0', async () => {
      const latch = await open();
      await latch.trySetCount(24);
      let passed = 0;
      const waits = Array.from({ length: 24 }, async () => {
        await latch.await();
        passed += 1;
        return latch.getCount();
      });
      const counts = Array.from({ length: 24 }, () => latch.countDown());
      await world.time.finish(Promise.all(counts), 10_000);
      const seen = await world.time.finish(Promise.all(waits), 10_000);
      expect(new Set(seen)).toEqual(new Set([0]));
      expect(passed).toBe(24);
    });

    it('CL-08 costs one subscription, and one command when the latch opens, for any number of waiters', async () => {
      const latch = await open();
      await latch.trySetCount(1);
      const waiting = Array.from({ length: 100 }, () => latch.await());
      await world.time.until(listening(1), 1000);
      await world.time.pass(50);
      const asked = await world.probe.commands();
      await latch.countDown();
      const all = await world.time.finish(Promise.all(waiting), 1000);
      expect(all).toEqual(Array.from({ length: 100 }, () => true));
      // The count-down, the request that deletes its marker on Redis, and one look for all waiters.
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(3);
    });

    it('CL-09 ends when the latch is deleted: it is open then', async () => {
      const latch = await open();
      await latch.trySetCount(3);
      const waiting = [latch.await(), latch.await({ wait: '5s' })];
      await world.time.until(listening(1), 1000);
      await latch.delete();
      await expect(world.time.finish(Promise.all(waiting), 200 + world.time.slack)).resolves.toEqual([true, true]);
    });

    it('CL-10 ends with the last count of another client, at once', async () => {
      const [here, there] = [await open(), await open()];
      await here.trySetCount(2);
      const waiting = here.await();
      await world.time.until(listening(1), 1000);
      await there.countDown();
      await there.countDown();
      await expect(world.time.finish(waiting, 100 + world.time.slack)).resolves.toBe(true);
    });

    it('goes by the count after the call: a latch that was set meanwhile is not open', async () => {
      const latch = await open();
      const early = latch.await();
      const set = latch.trySetCount(1);
      await expect(world.time.finish(early, 1000)).resolves.toBe(true);
      await set;
      const late = latch.await({ wait: 50 });
      await expect(world.time.finish(late, 1000)).resolves.toBe(false);
      // A caller that joins sleeping waiters takes a look of its own, so it cannot miss an earlier message.
      const sleeping = latch.await();
      await world.time.until(listening(1), 1000);
      await world.probe.remove('c');
      await expect(world.time.finish(latch.await({ wait: 2000 }), 500 + world.time.slack)).resolves.toBe(true);
      await expect(world.time.finish(sleeping, 100)).resolves.toBe(true);
    });

    it('AB-05 ends for one waiter by its signal, and for the other by the last count', async () => {
      const latch = await open();
      await latch.trySetCount(1);
      const [reason, controller] = [new Error('enough'), new AbortController()];
      const aborted = latch.await({ signal: controller.signal });
      const other = latch.await();
      await world.time.until(listening(1), 1000);
      controller.abort(reason);
      await expect(aborted).rejects.toMatchObject({ code: 'LOCK_ABORTED', cause: reason });
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      await latch.countDown();
      await expect(world.time.finish(other, 200 + world.time.slack)).resolves.toBe(true);
      await expect(latch.await({ signal: controller.signal })).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    });

    it('ends when the time to live of the count is over, although counts are left', async () => {
      const latch = await open();
      await latch.trySetCount(2, { ttl: 300 });
      const waiting = latch.await();
      const progress = track(waiting);
      await world.time.until(listening(1), 1000);
      await latch.countDown();
      expect(progress.settled).toBe(false);
      await expect(world.time.finish(waiting, 300 + world.time.slack)).resolves.toBe(true);
      await expect(latch.getCount()).resolves.toBe(0);
      await expect(latch.trySetCount(1)).resolves.toBe(true);
    });

    it('ends at shutdown', async () => {
      const client = await world.open();
      const latch = client.locks.getCountDownLatch('c');
      await latch.trySetCount(1);
      const waiting = latch.await();
      const outcome = waiting.catch((error: unknown) => error);
      await world.time.until(listening(1), 1000);
      client.runtime.shutdownController.abort(new LockShutdownError('over'));
      expect(await outcome).toBeInstanceOf(LockShutdownError);
      await world.time.until(() => client.runtime.acquirer.contended === 0, 1000);
    });
  });
});
