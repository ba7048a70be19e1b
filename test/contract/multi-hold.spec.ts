import { AsyncResource } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { LockLostError, LockOptionsError, type LockService } from '../../lib/standalone.js';
import type { AcquirableLock } from '../../lib/locks/reentrant-lock.js';
import { termsOf } from '../../lib/waiting/acquire.options.js';
import type { MultiHold } from '../../lib/holds/multi-hold.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';

/** A hold of several locks has all methods of a hold of one lock. Each takes effect on all of the locks or on none. */
onEveryBackend((world) => {
  const open = async (): Promise<LockService> => (await world.open()).locks;
  const free = async (): Promise<void> => expect(world.probe.names()).resolves.toEqual([]);

  describe('A hold of several locks', () => {
    it('names them and their owners, and has no fence of its own', async () => {
      const locks = await open();
      const hold = await locks.getMultiLock(locks.getFencedLock('b'), 'a').acquire();
      expect(hold.members.map(({ name, owner }) => ({ name, owner }))).toEqual([
        { name: 'a', owner: expect.stringMatching(/:\d+$/) },
        { name: 'b', owner: expect.stringMatching(/:\d+$/) },
      ]);
      expect(hold.name).toBe('a, b');
      expect(hold.owner).toBe(hold.members.map(({ owner }) => owner).join(', '));
      expect(hold.fence).toBeUndefined();
      expect(hold.members[1]?.fence).toBeGreaterThan(0n);
      expect(JSON.parse(JSON.stringify(hold))).toEqual({
        name: 'a, b',
        owner: hold.owner,
        waited: hold.waited,
        isHeld: true,
      });
      expect(inspect(hold)).toMatch(/^Hold \{\s+name: 'a, b'/);
    });

    it('aborts its signal when any of them is lost', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const hold = await locks.getMultiLock('a', 'b').acquire();
      const { signal } = hold;
      await world.probe.remove('b');
      await world.time.until(() => signal.aborted, 1000 + world.time.slack);
      expect(signal.reason).toBeInstanceOf(LockLostError);
      expect(() => hold.assertHeld()).toThrow('Lock "b" is no longer held');
      expect(() => hold.run(() => 'ran')).toThrow(LockLostError);
      expect([hold.isHeld, hold.isReleased, hold.remaining]).toEqual([false, false, 0]);
      await expect(hold.release()).resolves.toBe('expired');
      expect(hold.isReleased).toBe(true);
      await free();
    });

    it.each(['getMultiLock', 'getMajorityLock'] as const)(
      'leaves nothing on the signal of an outer hold when it is over: %s',
      async (kind) => {
        const locks = await open();
        const lock = locks[kind](...['a', 'b', 'c'].map((name) => locks.getLock(name)));
        await locks.withLock('a', async (outer) => {
          const onSignal = (): readonly unknown[] => [
            ...getEventListeners(outer.signal, 'abort'),
            // The signals that AbortSignal.any would have left.
            ...Object.getOwnPropertySymbols(outer.signal).flatMap((key) => {
              const value: unknown = Reflect.get(outer.signal, key);
              return /dependant/i.test(String(key)) && value instanceof Set ? [...value] : [];
            }),
          ];
          await lock.withLock(({ signal }) => {
            signal.addEventListener('abort', () => {});
            expect(onSignal()).toHaveLength(1);
          });
          const hold = await lock.acquire();
          hold.signal.addEventListener('abort', () => {});
          await hold.release();
          expect(onSignal()).toEqual([]);
        });
        await free();
      },
    );

    it('is extended as a whole', async () => {
      const locks = await open();
      const hold = await locks.getMultiLock('a', 'b').acquire({ lease: 500 });
      await hold.extend('1m');
      for (const name of ['a', 'b']) expect((await world.probe.state(name)).ttl).toBeGreaterThan(50_000);
      await expect(hold.extend('soon' as '1s')).rejects.toThrow(LockOptionsError);
      await world.probe.remove('a');
      await expect(hold.extend('2m')).rejects.toThrow('Lock "a" is no longer held');
      expect((await world.probe.state('b')).ttl).toBeGreaterThan(110_000);
      await expect(hold.release()).resolves.toBe('expired');
      await free();
    });

    it('releases all together, once, and reports a remaining outer hold', async () => {
      const locks = await open();
      const a = new Owner(locks);
      const outer = await a.run(() => locks.acquire('a'));
      const hold = await a.run(() => locks.getMultiLock('a', 'b').acquire());
      const [first, second] = [hold.release(), hold.release()];
      await expect(first).resolves.toBe('still-held');
      await expect(second).resolves.toBe('still-held');
      expect(hold.isHeld).toBe(false);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      await expect(world.probe.names()).resolves.toEqual(['a']);
      await expect(outer.release()).resolves.toBe('released');
    });

    it('is released at the end of a block', async () => {
      const locks = await open();
      {
        await using hold = await locks.getMultiLock('a', 'b').acquire();
        hold.assertHeld();
        await expect(locks.getMultiLock('a', 'b').isLocked()).resolves.toBe(true);
      }
      await free();
    });

    it('runs work as the owner of all of them, and is found by it', async () => {
      const locks = await open();
      const hold = await locks.getMultiLock('a', 'b').acquire();
      expect(locks.currentHold()).toBeUndefined();
      const seen = await hold.run(async () => {
        await locks.withLock('a', { wait: 0 }, () => {});
        return [locks.currentHold(), locks.currentHold('a'), locks.currentHold('b'), locks.currentHold('a, b')];
      });
      expect(seen).toEqual([hold, hold.members[0], hold.members[1], undefined]);
      expect(hold.run(() => 'at once')).toBe('at once');
      expect(() =>
        hold.run(() => {
          throw new Error('of the work');
        }),
      ).toThrow('of the work');
      await hold.release();
      expect(() => hold.run(() => 'ran')).toThrow(LockLostError);
    });

    it.each(['getMultiLock', 'getMajorityLock'] as const)(
      'covers nested work until its end, whatever its callback returned: %s',
      async (kind) => {
        const locks = await open();
        const lock = locks[kind](...['a', 'b', 'c'].map((name) => locks.getLock(name))) as AcquirableLock<MultiHold>;
        const terms = termsOf({ lease: undefined, wait: 0, signal: undefined }, lock.runtime.scheduler);
        const { hold, run, leave } = await lock.enter(terms);
        // A stream continues in this way, after its source has returned.
        const later = run(() => AsyncResource.bind(() => locks.withLock('b', { wait: 0 }, ({ owner }) => owner)));
        await expect(later()).resolves.toBe(hold.members[1]?.owner);
        await leave();
        await expect(later()).resolves.not.toBe(hold.members[1]?.owner);
        await free();
      },
    );
  });
});
