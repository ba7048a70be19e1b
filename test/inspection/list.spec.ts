import { LockOptionsError, type LockService } from '../../lib/standalone.js';
import type { ListedLock } from '../../lib/advanced.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** What a listing yields, by name. */
const listed = async (locks: LockService, ...search: Parameters<LockService['list']>): Promise<ListedLock[]> => {
  const found: ListedLock[] = [];
  for await (const lock of locks.list(...search)) found.push(lock);
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const namesOf = (found: readonly ListedLock[]): readonly string[] => found.map(({ name }) => name);

onEveryBackend((world) => {
  describe('The list of what is held', () => {
    it('has every kind, by name and kind, with its holder', async () => {
      const { locks } = await world.open();
      const plain = await locks.getLock('plain').acquire();
      await locks.getFencedLock('fenced').acquire();
      await locks.getReadWriteLock('read').readLock().acquire();
      await locks.getReadWriteLock('write').writeLock().acquire();
      await locks.getGroupLock('group', ['v1', 'v2']).acquire();
      await locks.getPermitExpirableSemaphore('permits').trySetPermits(1);
      await locks.getPermitExpirableSemaphore('permits').acquire();
      await locks.getSemaphore('semaphore').trySetPermits(1);
      await locks.withLock('limit', { limit: 2 }, async () => {
        const found = await listed(locks);
        expect(found.map(({ name, kind, state }) => ({ name, kind, state }))).toEqual([
          { name: 'fenced', kind: 'fenced', state: 'held' },
          { name: 'group', kind: 'group', state: 'held' },
          { name: 'limit', kind: 'limit', state: 'held' },
          { name: 'permits', kind: 'permitExpirableSemaphore', state: 'held' },
          { name: 'plain', kind: 'reentrant', state: 'held' },
          { name: 'read', kind: 'read', state: 'held' },
          { name: 'write', kind: 'write', state: 'held' },
        ]);
        expect(found.find(({ name }) => name === 'plain')?.holders).toMatchObject([{ owner: plain.owner, count: 1 }]);
        expect(found.every(({ holders }) => holders.every(({ isThisProcess }) => isThisProcess))).toBe(true);
      });
    });

    it('tells a fair lock by its queue', async () => {
      const [holder, waiter] = [await world.open(), await world.open()];
      const hold = await holder.locks.getFairLock('n').acquire();
      const work = waiter.locks.withLock('n', { fair: true, wait: '20s' }, () => {});
      await world.time.until(async () => (await world.probe.queueLength('n')) === 1, 5000);
      await expect(listed(holder.locks)).resolves.toMatchObject([{ kind: 'fair', waiting: { count: 1 } }]);
      await hold.release();
      await world.time.finish(work, 20_000);
      await expect(listed(holder.locks)).resolves.toEqual([]);
    });

    it('finds names by a glob', async () => {
      const { locks } = await world.open();
      for (const name of ['order:1', 'order:2', 'order:[3]', 'Order:4', 'other', '{order}:5', 'order:é'])
        await locks.getLock(name).acquire();
      expect(namesOf(await listed(locks, 'order:*'))).toEqual(['order:1', 'order:2', 'order:[3]', 'order:é']);
      expect(namesOf(await listed(locks, 'order:[1-2]'))).toEqual(['order:1', 'order:2']);
      expect(namesOf(await listed(locks, 'order:[^1-2]'))).toEqual([]);
      // As in Redis, a place is a byte.
      expect(namesOf(await listed(locks, 'order:??'))).toEqual(['order:é']);
      expect(namesOf(await listed(locks, 'order:\\[?\\]'))).toEqual(['order:[3]']);
      expect(namesOf(await listed(locks, '?rder:4'))).toEqual(['Order:4']);
      expect(namesOf(await listed(locks, '{order}:*'))).toEqual(['{order}:5']);
      expect(namesOf(await listed(locks, 'none'))).toEqual([]);
    });

    it('finds limits and semaphores of names with braces of their own', async () => {
      const { locks } = await world.open();
      for (const name of ['a', '{b}c', 'a:limit']) {
        await locks.getPermitExpirableSemaphore(`permits-${name}`).trySetPermits(1);
        await locks.getPermitExpirableSemaphore(`permits-${name}`).acquire();
      }
      await locks.withLock('limit-a', { limit: 1 }, () =>
        locks.withLock('limit-{b}c', { limit: 1 }, async () => {
          expect(namesOf(await listed(locks, 'limit-*'))).toEqual(['limit-a', 'limit-{b}c']);
          expect(namesOf(await listed(locks, 'permits-*'))).toEqual(['permits-a', 'permits-a:limit', 'permits-{b}c']);
        }),
      );
    });

    it('has the names of the prefix alone, without it, so that they can be given to getLock()', async () => {
      const [shop, other] = [await world.open({ keyPrefix: 'shop[1]:' }), await world.open({ keyPrefix: 'shop1:' })];
      await shop.locks.getLock('order:1').acquire();
      await other.locks.getLock('order:2').acquire();
      const [found, ...more] = await listed(shop.locks, 'order:*');
      expect(more).toEqual([]);
      expect(found).toMatchObject({ name: 'order:1', key: 'shop[1]:order:1' });
      await expect(shop.locks.getLock(found?.name ?? '').isLocked()).resolves.toBe(true);
    });

    it('leaves out what was released, and names each lock once, however small the steps', async () => {
      const { locks } = await world.open();
      const names = Array.from({ length: 120 }, (_, at) => `n${String(at).padStart(3, '0')}`);
      const holds = await Promise.all(names.map((name) => locks.getLock(name).acquire()));
      expect(namesOf(await listed(locks, 'n*', { batch: 7 }))).toEqual(names);
      await Promise.all(holds.slice(20).map((hold) => hold.release()));
      expect(namesOf(await listed(locks, 'n*', { batch: 7 }))).toEqual(names.slice(0, 20));
    });

    it('ends when the caller stops, and with the reason of its signal', async () => {
      const { locks } = await world.open();
      await Promise.all(['a', 'b', 'c'].map((name) => locks.getLock(name).acquire()));
      const reason = new Error('enough');
      const stopping = new AbortController();
      const seen: string[] = [];
      const iteration = async (): Promise<void> => {
        for await (const { name } of locks.list('*', { signal: stopping.signal })) {
          seen.push(name);
          stopping.abort(reason);
        }
      };
      await expect(iteration()).rejects.toBe(reason);
      expect(seen).toHaveLength(1);
      await expect(listed(locks, '*', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      for await (const { name } of locks.list()) {
        seen.push(name);
        break;
      }
      expect(seen).toHaveLength(2);
    });

    it.each<[string, () => Parameters<LockService['list']>]>([
      ['an empty pattern', () => ['']],
      ['a pattern that is no text', () => [7 as never]],
      ['a pattern longer than any name', () => ['x'.repeat(513)]],
      ['half a surrogate pair', () => ['\ud800']],
      ['a batch of none', () => ['*', { batch: 0 }]],
      ['a batch that is too large', () => ['*', { batch: 10_001 }]],
      ['a signal that is none', () => ['*', { signal: {} as never }]],
      ['an unknown option', () => ['*', { count: 7 } as never]],
    ])('refuses %s at once', async (_, search) => {
      const { locks } = await world.open();
      expect(() => locks.list(...search())).toThrow(LockOptionsError);
    });
  });
});
