import { LockOptionsError, LockOwnershipError } from '../../lib/index.js';
import type { LockOptions } from '../../lib/index.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** `kind` and `preference` choose what the getters give. */
onEveryBackend((world) => {
  describe('The option kind', () => {
    it.each(['reentrant', 'fair', 'fenced', 'spin'] as const)('%s excludes, and can be re-entered', async (kind) => {
      const [here, there] = [await world.open(), await world.open()];
      await here.locks.withLock('n', { kind }, async ({ owner, fence }) => {
        expect(fence !== undefined).toBe(kind === 'fenced');
        await expect(there.locks.tryAcquire('n', { kind })).resolves.toBeNull();
        await here.locks.withLock('n', { kind }, (inner) => {
          expect(inner.owner).toBe(owner);
        });
      });
      await expect(there.locks.tryAcquire('n', { kind })).resolves.not.toBeNull();
    });

    it('fair queues waiters on the server, and spin subscribes to nothing', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const hold = await here.locks.acquire('n');
      const fair = there.locks.acquire('n', { kind: 'fair', wait: '5s' });
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

    it('redlock needs independent servers', async () => {
      const { locks } = await world.open();
      await expect(locks.acquire('n', { kind: 'redlock' })).rejects.toThrow(LockOptionsError);
    });

    it.each<[object, RegExp]>([
      [{ kind: 'shared' }, /kind/],
      [{ kind: null }, /kind/],
      [{ kind: 'fair', mode: 'read' }, /kind "fair".*mode "read"/],
      [{ kind: 'fair', fair: false }, /fair: false.*kind "fair"/],
      [{ kind: 'spin', fenced: true }, /fenced: true.*kind "spin"/],
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
