import { LockOptionsError, LockOwnershipError } from '../../lib/standalone.js';
import type { LockOptions } from '../../lib/index.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** `kind`, `fair`, `fenced` and `preference` choose what the getters give. */
onEveryBackend((world) => {
  describe('The option kind', () => {
    it.each<LockOptions>([{}, { fair: true }, { fenced: true }, { kind: 'spin' }])(
      '%p excludes, and can be re-entered',
      async (options) => {
        const [here, there] = [await world.open(), await world.open()];
        await here.locks.withLock('n', options, async ({ owner, fence }) => {
          expect(fence !== undefined).toBe(options.fenced === true);
          await expect(there.locks.tryAcquire('n', options)).resolves.toBeNull();
          await here.locks.withLock('n', options, (inner) => {
            expect(inner.owner).toBe(owner);
          });
        });
        await expect(there.locks.tryAcquire('n', options)).resolves.not.toBeNull();
      },
    );

    it('fair queues waiters on the server, and spin subscribes to nothing', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const hold = await here.locks.acquire('n');
      const fair = there.locks.acquire('n', { fair: true, wait: '5s' });
      await world.time.until(async () => (await world.probe.queueLength('n')) === 1, 1000);
      await hold.release();
      const second = await world.time.finish(fair, 1000);
      const spin = here.locks.acquire('n', { kind: 'spin', wait: '5s' });
      await world.time.pass(100);
      expect(await world.probe.subscribers(lockChannel('n'))).toBe(0);
      await second.release();
      await (await world.time.finish(spin, 2000)).release();
    });

    it.each<LockOptions>([{ kind: 'nonReentrant' }, { kind: 'nonReentrant', fair: true }])(
      '%p cannot be re-entered',
      async (options) => {
        const { locks } = await world.open();
        await locks.withLock('n', options, async () => {
          await expect(locks.withLock('n', options, () => {})).rejects.toThrow(LockOwnershipError);
        });
      },
    );

    it('redLock needs independent servers', async () => {
      const { locks } = await world.open();
      await expect(locks.acquire('n', { kind: 'redLock' })).rejects.toThrow(LockOptionsError);
    });

    it.each<[object, RegExp]>([
      [{ kind: 'shared' }, /kind/],
      [{ kind: null }, /kind/],
      [{ kind: 'fair' }, /fair: true/],
      [{ kind: 'spin', mode: 'read' }, /kind "spin".*mode "read"/],
      [{ kind: 'spin', fair: true }, /fair.*kind "spin"/],
      [{ kind: 'nonReentrant', fair: true, fenced: true }, /fair.*fenced/],
      [{ kind: 'redLock', fenced: true }, /fenced.*kind "redLock"/],
      [{ preference: 'writer' }, /preference.*mode "exclusive"/],
      [{ preference: 'reader', mode: 'read' }, /preference/],
    ])('refuses %p', async (options, message) => {
      const { locks } = await world.open();
      await expect(locks.acquire('n', options)).rejects.toThrow(LockOptionsError);
      await expect(locks.acquire('n', options)).rejects.toThrow(message);
      await expect(world.probe.names()).resolves.toEqual([]);
    });
  });

  describe('The option preference', () => {
    it('writer keeps new readers out while a writer waits', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const preference = 'writer';
      const reader = await here.locks.acquire('n', { mode: 'read', preference });
      const writer = there.locks.acquire('n', { mode: 'write', preference, wait: '5s' });
      const isKeptOut = async (): Promise<boolean> => {
        const another = await here.locks.tryAcquire('n', { mode: 'read', preference });
        await another?.release();
        return another === null;
      };
      await world.time.until(isKeptOut, 1000);
      await reader.release();
      const writing = await world.time.finish(writer, 1000);
      await expect(writing.release()).resolves.toBe('released');
    });
  });
});
