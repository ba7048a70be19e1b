import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';
import { prefixedName, suffixedName } from '../../lib/keys/redisson-keys.js';

const world = new InteropWorld();

const CHANNEL = prefixedName('redisson_rwlock', 'n');
const AT_ONCE_MS = 500;
const WATCHDOG_MS = 1500;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/**
 * Readers, which only the read-write lock has. Behaviour of its write half that all kinds of locks share is in
 * `lock-kinds.spec.ts`.
 */
inWorld(world, ({ time }) => {
  const openBoth = async (renewedLease = 30_000) => {
    const { java, locks } = await world.openBoth(renewedLease);
    return {
      java,
      ours: locks.getReadWriteLock('n'),
      reader: (thread = 'a') => java.thread(thread).lock('n', 'read'),
      writer: (thread = 'a') => java.thread(thread).lock('n', 'write'),
    };
  };

  const timeoutKey = (owner: string, count = 1): string => suffixedName('n', `${owner}:rwlock_timeout:${count}`);

  describe('Readers of both sides', () => {
    it('read together, as the format says', async () => {
      const { java, ours, reader } = await openBoth();
      const hold = await ours.readLock().acquire();
      await expect(reader().tryLock()).resolves.toBe(true);
      const owner = await java.thread('a').owner();
      await expect(world.hash('n')).resolves.toEqual({ mode: 'read', [hold.owner]: '1', [owner]: '1' });
      const names = [timeoutKey(hold.owner), timeoutKey(owner), 'n'];
      expect((await world.lockNames()).sort()).toEqual(names.sort());
      await hold.release();
      await expect(world.hash('n')).resolves.toEqual({ mode: 'read', [owner]: '1' });
      await reader().unlock();
      await expect(world.lockNames()).resolves.toEqual([]);
    });

    it('keep a Java writer out until the last has left, which is one of Node', async () => {
      const { ours, reader, writer } = await openBoth();
      const hold = await ours.readLock().acquire();
      await reader().lock();
      await expect(writer('b').tryLock()).resolves.toBe(false);
      const waiting = writer('b').lock();
      const progress = track(waiting);
      await world.listening(CHANNEL);
      await reader().unlock();
      await time.pass(AT_ONCE_MS);
      expect(progress.settled).toBe(false);
      await hold.release();
      await time.finish(waiting, AT_ONCE_MS);
    });

    it('keep a Node writer out until the last has left, which is one of Java', async () => {
      const { ours, reader } = await openBoth();
      const hold = await ours.readLock().acquire();
      await reader().lock();
      await expect(ours.writeLock().tryAcquire()).resolves.toBeNull();
      const waiting = ours.writeLock().acquire(UNLIMITED);
      const progress = track(waiting);
      await world.listening(CHANNEL);
      await hold.release();
      await time.pass(AT_ONCE_MS);
      expect(progress.settled).toBe(false);
      await reader().unlock();
      await time.finish(waiting, AT_ONCE_MS);
    });

    it('re-enter with a time-out key for each hold of Java', async () => {
      const { java, ours, reader } = await openBoth();
      const hold = await ours.readLock().acquire();
      await reader().lock();
      await reader().lock();
      const owner = await java.thread('a').owner();
      await expect(world.hash('n')).resolves.toEqual({ mode: 'read', [hold.owner]: '1', [owner]: '2' });
      await expect(world.lockNames()).resolves.toContain(timeoutKey(owner, 2));
      await reader().unlock();
      await reader().unlock();
      await expect(world.hash('n')).resolves.toEqual({ mode: 'read', [hold.owner]: '1' });
      hold.assertHeld();
      await expect(hold.release()).resolves.toBe('released');
    });

    it('of Node that re-enter are counted so that Java keeps out, and does not end them', async () => {
      const { ours, reader, writer } = await openBoth();
      const outer = await ours.readLock().acquire();
      const inner = await outer.run(() => ours.readLock().acquire());
      await reader().lock();
      await reader().unlock();
      await expect(inner.release()).resolves.toBe('still-held');
      await reader().lock();
      await reader().unlock();
      await expect(writer('b').tryLock()).resolves.toBe(false);
      await expect(outer.release()).resolves.toBe('released');
      await expect(writer('b').tryLock()).resolves.toBe(true);
    });

    it('with different leases: the release of the longer by Java leaves Node the shorter, and the other way round', async () => {
      const { ours, reader, writer } = await openBoth();
      const short = await ours.readLock().acquire({ lease: 1500 });
      await reader().lock(20_000);
      await reader().unlock();
      await expect(writer('b').tryLock()).resolves.toBe(false);
      await expect(world.admin.pttl('n')).resolves.toBeLessThanOrEqual(1500);
      short.assertHeld();
      await short.release();
      const long = await ours.readLock().acquire({ lease: 20_000 });
      await reader().lock(1500);
      await long.release();
      await expect(world.admin.pttl('n')).resolves.toBeLessThanOrEqual(1500);
      const start = time.now();
      await time.finish(ours.writeLock().acquire(UNLIMITED), 1500 + time.slack);
      expect(time.now() - start).toBeGreaterThan(1000);
    });

    it('are kept by the watchdogs of both sides, each for itself', async () => {
      const { ours, reader, writer } = await openBoth(WATCHDOG_MS);
      const hold = await ours.readLock().acquire();
      await reader().lock();
      await expect(writer('b').tryLock(2.5 * WATCHDOG_MS, -1)).resolves.toBe(false);
      hold.assertHeld();
      await reader().unlock();
      await expect(ours.writeLock().tryAcquire({ wait: 2.5 * WATCHDOG_MS })).resolves.toBeNull();
      await expect(hold.release()).resolves.toBe('released');
      await expect(writer('b').tryLock()).resolves.toBe(true);
    });

    it('of Java that are killed do not keep writers out once the readers of Node have left', async () => {
      const { java, ours, reader } = await openBoth(WATCHDOG_MS);
      const hold = await ours.readLock().acquire();
      await reader().lock();
      const owner = await java.thread('a').owner();
      await java.kill();
      await time.until(async () => (await world.admin.exists(timeoutKey(owner))) === 0, WATCHDOG_MS + time.slack);
      await expect(ours.writeLock().tryAcquire()).resolves.toBeNull();
      await expect(hold.release()).resolves.toBe('released');
      await expect(ours.writeLock().tryAcquire()).resolves.not.toBeNull();
    });

    it('of Node that are killed do not keep writers out once the readers of Java have left', async () => {
      const { reader, writer } = await openBoth(WATCHDOG_MS);
      const process = await world.openNodeProcess(WATCHDOG_MS);
      const owner = await process.call('acquire', 'read', 'n');
      await reader().lock();
      process.kill('SIGKILL');
      await process.exited;
      await time.until(async () => (await world.admin.exists(timeoutKey(owner))) === 0, WATCHDOG_MS + time.slack);
      await expect(writer('b').tryLock()).resolves.toBe(false);
      await reader().unlock();
      await expect(writer('b').tryLock()).resolves.toBe(true);
    });
  });

  describe('A writer', () => {
    it('of Java that leaves lets all Node readers in at once', async () => {
      const { ours, writer } = await openBoth();
      await writer().lock();
      const waiting = Promise.all([1, 2, 3].map(() => ours.readLock().acquire(UNLIMITED)));
      const progress = track(waiting);
      await world.listening(CHANNEL);
      expect(progress.settled).toBe(false);
      await writer().unlock();
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash('n')).resolves.toMatchObject({ mode: 'read' });
    });

    it('of Node that leaves lets all Java readers in at once', async () => {
      const { ours, reader } = await openBoth();
      const hold = await ours.writeLock().acquire();
      const waiting = Promise.all(['a', 'b', 'c'].map((thread) => reader(thread).lock()));
      const progress = track(waiting);
      await world.listening(CHANNEL);
      expect(progress.settled).toBe(false);
      await hold.release();
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash('n')).resolves.toMatchObject({ mode: 'read' });
    });

    it('of Node that reads as well goes on reading when it stops writing, and Java readers come in', async () => {
      const { ours, reader, writer } = await openBoth();
      const writing = await ours.writeLock().acquire();
      const reading = await writing.run(() => ours.readLock().acquire());
      await expect(reader('b').tryLock()).resolves.toBe(false);
      const waiting = reader('b').lock();
      await world.listening(CHANNEL);
      await expect(writing.release()).resolves.toBe('released');
      await time.finish(waiting, AT_ONCE_MS);
      await expect(writer('c').tryLock()).resolves.toBe(false);
      await reading.release();
      await reader('b').unlock();
      await expect(writer('c').tryLock()).resolves.toBe(true);
    });

    it('of Java that reads as well goes on reading when it stops writing, and Node readers come in', async () => {
      const { ours, reader, writer } = await openBoth();
      await writer().lock();
      await reader().lock();
      await expect(ours.readLock().tryAcquire()).resolves.toBeNull();
      await writer().unlock();
      const hold = await time.finish(ours.readLock().acquire(), AT_ONCE_MS);
      await expect(ours.writeLock().tryAcquire()).resolves.toBeNull();
      await reader().unlock();
      await expect(hold.release()).resolves.toBe('released');
      await expect(ours.writeLock().tryAcquire()).resolves.not.toBeNull();
    });

    it('is ended by force from the other side', async () => {
      const { ours, writer } = await openBoth(WATCHDOG_MS);
      const hold = await ours.writeLock().acquire();
      await expect(writer().forceUnlock()).resolves.toBe(true);
      await time.until(() => hold.signal.aborted, WATCHDOG_MS);
      await writer().lock();
      await expect(ours.writeLock().forceRelease()).resolves.toBe(true);
      await expect(writer().unlock()).rejects.toMatchObject({ name: 'IllegalMonitorStateException' });
    });
  });
});
