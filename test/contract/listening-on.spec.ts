import { RedisGrantingLock } from '../../lib/backend/kinds/lock/granting-lock.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import type { World } from '../kit/world.js';

const listeners = (world: World): Promise<number> | number => world.probe.subscribers(lockChannel('n'));

onEveryBackend((world) => {
  describe('A client that has waited for a lock', () => {
    it('listens on for half a second, in case it waits again', async () => {
      const [holder, client] = [await world.open(), await world.open()];
      const hold = await holder.locks.acquire('n');
      const waiting = client.locks.acquire('n', { wait: '5s' });
      await world.time.until(async () => (await listeners(world)) === 1, 1000);
      await hold.release();
      await (await world.time.finish(waiting, 1000)).release();
      expect(client.runtime.acquirer.contended).toBe(0);
      expect(await listeners(world)).toBe(1);
      await world.time.until(async () => (await world.probe.channels()).length === 0, 1000);
    });

    it('acquires a free lock, and releases it, while it listens on', async () => {
      const [holder, client] = [await world.open(), await world.open()];
      const hold = await holder.locks.acquire('n');
      const waiting = client.locks.acquire('n', { wait: '5s' });
      await world.time.until(async () => (await listeners(world)) === 1, 1000);
      await hold.release();
      await (await world.time.finish(waiting, 1000)).release();
      for (let turn = 0; turn < 3; turn++) {
        const again = await world.time.finish(client.locks.acquire('n', { wait: '5s' }), 1000);
        expect(await listeners(world)).toBe(1);
        await expect(holder.locks.tryAcquire('n')).resolves.toBeNull();
        await expect(again.release()).resolves.toBe('released');
      }
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('asks at once for a waiter that comes after the lock was handed over here and then passed on', async () => {
      // With the default of 5 ms, a process that does not run for a moment passes the lock on instead.
      const handover = { ms: 1000 };
      const [holder, client, other] = [await world.open(), await world.open({ handover }), await world.open()];
      const hold = await holder.locks.acquire('n');
      const section = async (): Promise<void> => {
        const own = await client.locks.acquire('n', { wait: '5s' });
        await nextTurn();
        await own.release();
      };
      const [first, second] = [section(), section()];
      await world.time.until(async () => (await world.probe.waitingClients('n')) === 1, 1000);
      const there = other.locks.acquire('n', { wait: '5s' });
      await world.time.until(async () => (await world.probe.waitingClients('n')) === 2, 1000);
      await hold.release();
      await world.time.finish(Promise.all([first, second]), 1000);
      const next = client.locks.acquire('n', { wait: '5s' });
      const holdThere = await world.time.finish(there, 1000);
      await world.time.until(async () => (await world.probe.waitingClients('n')) === 1, 1000);
      await holdThere.release();
      const last = await world.time.finish(next, 1000);
      await expect(last.release()).resolves.toBe('released');
    });
  });
});

const memory = new MemoryWorld();

inWorld(memory, ({ time }) => {
  describe('Two clients that take turns', () => {
    it('make two requests for each turn, and subscribe once', async () => {
      const clients = [await memory.open(), await memory.open()] as const;
      const requests = (['acquire', 'wait', 'release', 'withdraw'] as const).map((operation) =>
        jest.spyOn(RedisGrantingLock.prototype, operation),
      );
      const subscriptions = jest.spyOn(MemoryServer.prototype, 'subscribe');
      let hold = await clients[0].locks.acquire('n');
      for (let turn = 1; turn <= 10; turn++) {
        const waiting = clients[turn % 2 === 1 ? 1 : 0].locks.acquire('n', { wait: '5s' });
        await time.pass(10);
        await hold.release();
        hold = await time.finish(waiting, 10);
        // In its first turn, each client subscribes, and asks again once it has.
        if (turn === 2) for (const spy of [...requests, subscriptions]) spy.mockClear();
      }
      expect(requests.map((spy) => spy.mock.calls.length)).toEqual([0, 8, 8, 0]);
      expect(subscriptions).not.toHaveBeenCalled();
      jest.restoreAllMocks();
      await hold.release();
    });
  });
});
