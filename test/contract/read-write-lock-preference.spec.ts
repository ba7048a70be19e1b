import type { LockOptions } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';
import type { Client } from '../kit/client.js';
import { track } from '../kit/time.js';

const FOREVER: LockOptions = { wait: Infinity };
const WRITERS = '{n}:rwlock_writers';
/** How long a dead writer goes first, where a test waits for that. */
const SLOT_MS = 300;

/** Row RW-20 with the option by which a waiting writer goes before new readers, and AB-08 with it. */
onEveryBackend((world) => {
  const lockOf = ({ locks }: Client) => locks.getReadWriteLock('n', { preference: 'writer' });

  const open = async () => {
    const client = await world.open();
    return { client, read: lockOf(client).readLock(), write: lockOf(client).writeLock() };
  };

  const writersWait = async (): Promise<boolean> => (await world.probe.names()).includes(WRITERS);

  describe('A read-write lock that prefers writers', () => {
    it('RW-20 excludes new readers while a writer waits, which enters after the last current reader', async () => {
      const { read, write } = await open();
      const other = lockOf(await world.open());
      const reading = await read.acquire();
      const waiting = write.acquire(FOREVER);
      await world.time.until(writersWait, 1000);
      await expect(read.tryAcquire()).resolves.toBeNull();
      await expect(other.readLock().tryAcquire()).resolves.toBeNull();
      const later = other.readLock().acquire(FOREVER);
      const progress = track(later);
      await reading.release();
      const writing = await world.time.finish(waiting, 500 + world.time.slack);
      await world.time.pass(50);
      expect(progress.settled).toBe(false);
      await expect(world.probe.names()).resolves.not.toContain(WRITERS);
      await writing.release();
      await world.time.finish(later, 100 + world.time.slack);
    });

    it('I16 lets a writer in after the readers before it, however many come later', async () => {
      const { read, write } = await open();
      const closing = new AbortController();
      let entered = 0;
      const reader = async (): Promise<void> => {
        while (!closing.signal.aborted) {
          await read.withLock(FOREVER, () => {
            entered += 1;
            return world.time.pause(20);
          });
        }
      };
      const readers = [reader(), world.time.pause(7).then(reader), world.time.pause(14).then(reader)];
      await world.time.pass(30);
      const waiting = write.acquire(FOREVER);
      await world.time.until(writersWait, 1000);
      const before = entered;
      const writing = await world.time.finish(waiting, 500 + world.time.slack);
      // Each reader may have been granted the lock before, and not know it yet.
      expect(entered).toBeLessThanOrEqual(before + readers.length);
      closing.abort();
      await writing.release();
      await world.time.finish(Promise.all(readers), 1000);
    });

    it.each(['readLock', 'writeLock'] as const)('never excludes a holder of either half: %s', async (half) => {
      const { client } = await open();
      const giveUp = new AbortController();
      const [lock, other] = [lockOf(client), lockOf(await world.open())];
      const held = half === 'readLock' ? lock.readLock() : lock.writeLock();
      await held.withLock(async () => {
        const waiting = other.writeLock().acquire({ ...FOREVER, signal: giveUp.signal });
        await world.time.until(writersWait, 1000);
        const inside = await lock.readLock().tryAcquire();
        await expect(inside?.release()).resolves.toBe(half === 'readLock' ? 'still-held' : 'released');
        giveUp.abort();
        await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      });
      await world.time.until(async () => !(await writersWait()), 1000);
    });

    it('lets readers in that do not prefer writers', async () => {
      const { client, read, write } = await open();
      const reading = await read.acquire();
      const waiting = write.acquire(FOREVER);
      await world.time.until(writersWait, 1000);
      const plain = await client.locks.getReadWriteLock('n').readLock().tryAcquire();
      expect(plain).not.toBeNull();
      await plain?.release();
      await reading.release();
      await world.time.finish(waiting, 500 + world.time.slack);
    });

    it('does not record a writer that enters at once, or that attempts once', async () => {
      const { read, write } = await open();
      const asked = await world.probe.commands();
      const writing = await write.acquire(FOREVER);
      await writing.release();
      expect((await world.probe.commands()) - asked).toBe(2);
      const reading = await read.acquire();
      await expect(write.tryAcquire()).resolves.toBeNull();
      await expect(writersWait()).resolves.toBe(false);
      await expect(read.tryAcquire()).resolves.not.toBeNull();
      await reading.release();
    });

    it('does not record a writer that attempts once beside one that enters', async () => {
      const { read, write } = await open();
      const [writing, other] = await Promise.all([write.acquire(FOREVER), write.tryAcquire()]);
      expect(other).toBeNull();
      await expect(writersWait()).resolves.toBe(false);
      await writing.release();
      await expect(read.tryAcquire()).resolves.not.toBeNull();
    });

    it.each([
      ['is aborted', 10_000, true],
      ['waited long enough', 300, false],
    ])('AB-08 lets readers in at once when the last waiting writer %s', async (_, wait, aborts) => {
      const { read, write } = await open();
      const other = lockOf(await world.open());
      const [reading, giveUp] = [await read.acquire(), new AbortController()];
      const waits = [wait, wait].map((ms) => write.acquire({ wait: ms, signal: giveUp.signal }));
      const outcomes = Promise.allSettled(waits);
      await world.time.until(writersWait, 1000);
      const later = [read.acquire(FOREVER), other.readLock().acquire(FOREVER)];
      const progress = later.map(track);
      await world.time.pass(50);
      expect(progress.map(({ settled }) => settled)).toEqual([false, false]);
      if (aborts) giveUp.abort();
      await world.time.finish(outcomes, wait + world.time.slack);
      await expect(outcomes).resolves.toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
      for (const hold of await world.time.finish(Promise.all(later), 100 + world.time.slack)) await hold.release();
      const next = write.acquire(FOREVER);
      await reading.release();
      await world.time.finish(next, 500 + world.time.slack);
    });

    it('D43: lets readers in one slot after the process of a waiting writer died, and not before', async () => {
      const { read } = await open();
      const dying = await world.open({ fairWaitTimeout: SLOT_MS });
      const reading = await read.acquire();
      const waiting = lockOf(dying).writeLock().acquire(FOREVER);
      await world.time.until(writersWait, 1000);
      // The process dies, so its withdrawal never arrives.
      dying.runtime.backend.writeLock.withdraw = async () => {};
      const [outcome] = await Promise.allSettled([waiting, dying.close()]);
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'The client was closed' } });
      await expect(read.tryAcquire()).resolves.toBeNull();
      await world.time.finish(read.acquire(FOREVER), SLOT_MS + world.time.slack);
      await reading.release();
    });

    it('D43: keeps new readers out for many slots while a writer waits that has nothing to ask', async () => {
      const { read } = await open();
      // A process that stands still for longer than a slot lets readers in, as it should.
      const slot = world.name === 'memory' ? SLOT_MS : 1500;
      const writer = await world.open({ fairWaitTimeout: slot, safetyPoll: '1h' });
      const giveUp = new AbortController();
      const reading = await read.acquire();
      const waiting = lockOf(writer)
        .writeLock()
        .acquire({ ...FOREVER, signal: giveUp.signal });
      await world.time.until(writersWait, 1000);
      const [refused] = await world.time.finish(Promise.allSettled([read.acquire({ wait: 3 * slot })]), 5 * slot);
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_TIMEOUT' } });
      giveUp.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await world.time.finish(read.acquire(FOREVER), world.time.slack);
      await reading.release();
    });

    it('D43: tells a reader that a writer waits, and not that it holds the lock', async () => {
      const { read } = await open();
      const writer = await world.open();
      const giveUp = new AbortController();
      const reading = await read.acquire();
      const waiting = lockOf(writer)
        .writeLock()
        .acquire({ ...FOREVER, signal: giveUp.signal });
      await world.time.until(writersWait, 1000);
      for (const [wait, code] of [
        [0, 'LOCK_CONFLICT'],
        [50, 'LOCK_TIMEOUT'],
      ] as const) {
        const asked = read.acquire({ wait }).catch((reason: unknown) => reason);
        const error: unknown = await world.time.finish(asked, wait + world.time.slack);
        expect(error).toMatchObject({ code, details: { isWriter: true } });
        expect(error).not.toHaveProperty('details.holder');
        expect(error).toHaveProperty('message', expect.stringContaining('reserved for a waiting writer ('));
      }
      giveUp.abort();
      await expect(waiting).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
      await reading.release();
    });
  });
});
