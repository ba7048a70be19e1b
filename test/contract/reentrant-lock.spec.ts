import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockOwnershipError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

/** Rows RL of the behaviour catalogue about calls of one owner or two. Crowds and processes have specs of their own. */
onEveryBackend((world) => {
  describe('A reentrant lock', () => {
    it('RL-12 answers one attempt at once, without a subscription; other names are free', async () => {
      const { locks } = await world.open();
      const [a, b] = [new Owner(locks), new Owner(locks)];
      await a.run(() => locks.acquire('n1'));
      const before = await world.probe.commands();
      await expect(b.run(() => locks.tryAcquire('n1'))).resolves.toBeNull();
      await expect(world.probe.commands()).resolves.toBe(before + 1);
      await expect(world.probe.subscribers(lockChannel('n1'))).resolves.toBe(0);
      await expect(a.run(() => locks.tryAcquire('n2'))).resolves.not.toBeNull();
    });

    it('RL-20 belongs to the hold, not to the call stack that acquired it', async () => {
      const { locks } = await world.open();
      const lock = locks.getLock('n');
      const bus = new EventEmitter();
      const elsewhere = once(bus, 'hold').then(([hold]) => hold.release());
      bus.emit('hold', await lock.acquire());
      await expect(elsewhere).resolves.toBe('released');

      const hold = await lock.acquire();
      await expect(new Owner(locks).run(() => lock.release())).rejects.toThrow(LockOwnershipError);
      await expect(lock.release()).rejects.toThrow(LockOwnershipError);
      await expect(hold.run(() => lock.isHeldByCurrentScope())).resolves.toBe(true);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('RL-20 has one owner across await, timers and the callbacks of events', async () => {
      const { locks } = await world.open();
      const lock = locks.getLock('n');
      await locks.runInScope(async () => {
        await lock.acquire();
        await sleep(1);
        await expect(lock.holdCount()).resolves.toBe(1);
        const counts = await new Promise((resolve) => {
          const bus = new EventEmitter().on('asked', () => resolve(Promise.all([lock.acquire(), lock.holdCount()])));
          setTimeout(() => bus.emit('asked'), 1);
        });
        expect(counts).toHaveLength(2);
        await expect(lock.holdCount()).resolves.toBe(2);
        await lock.release();
        await lock.release();
      });
      await expect(lock.isLocked()).resolves.toBe(false);
    });
  });
});
