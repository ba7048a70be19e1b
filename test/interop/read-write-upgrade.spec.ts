import type { Hold } from '../../lib/index.js';
import { prefixedName } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';

const world = new InteropWorld();

const CHANNEL = prefixedName('redisson_rwlock', 'n');
const AT_ONCE_MS = 500;

/** Redisson has no upgrade: its readers and writers are kept out and let in by ours as by any other. */
inWorld(world, ({ time }) => {
  const openBoth = async () => {
    const { java, locks } = await world.openBoth(30_000);
    return {
      ours: locks.getReadWriteLock('n'),
      reader: (thread = 'a') => java.thread(thread).lock('n', 'read'),
      writer: (thread = 'a') => java.thread(thread).lock('n', 'write'),
    };
  };
  const written = (hold: Hold | null): Hold => {
    if (!hold) throw new Error('Others read');
    return hold;
  };

  describe('An upgrade of Node', () => {
    it('waits for no reader of Java: it fails while one reads, and works when it has left', async () => {
      const { ours, reader } = await openBoth();
      const reading = await ours.readLock().acquire();
      await reader().lock();
      await expect(reading.tryUpgrade()).resolves.toBeNull();
      await reader().unlock();
      reading.assertHeld();
      await expect(written(await reading.tryUpgrade()).release()).resolves.toBe('released');
      await expect(world.lockNames()).resolves.toEqual([]);
    });

    it('keeps readers and writers of Java out until the writer has left', async () => {
      const { ours, reader, writer } = await openBoth();
      const writing = written(await (await ours.readLock().acquire()).tryUpgrade());
      await expect(reader().tryLock()).resolves.toBe(false);
      await expect(writer().tryLock()).resolves.toBe(false);
      await writing.release();
      await expect(writer().tryLock()).resolves.toBe(true);
      await writer().unlock();
      await expect(world.lockNames()).resolves.toEqual([]);
    });
  });

  describe('A downgrade of Node', () => {
    it('lets a waiting reader of Java in at once, and no writer before both have left', async () => {
      const { ours, reader, writer } = await openBoth();
      const writing = await ours.writeLock().acquire();
      const waiting = reader().lock();
      const progress = track(waiting);
      await world.listening(CHANNEL);
      await time.pass(AT_ONCE_MS);
      expect(progress.settled).toBe(false);
      const reading = await writing.downgrade();
      await time.finish(waiting, AT_ONCE_MS);
      await expect(writer('b').tryLock()).resolves.toBe(false);
      await reader().unlock();
      // Java has computed the time to live anew, from the time-out keys.
      await expect(writer('b').tryLock()).resolves.toBe(false);
      reading.assertHeld();
      await reading.release();
      await expect(writer('b').tryLock()).resolves.toBe(true);
      await writer('b').unlock();
      await expect(world.lockNames()).resolves.toEqual([]);
    });
  });
});
