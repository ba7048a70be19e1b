import { LockLostError, type LockService } from '../../lib/standalone.js';
import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';
import type { JavaThread } from './java-thread.js';
import { lockOfKind, exclusiveKinds } from './node-lock.js';
import { lockChannel, prefixedName } from '../../lib/keys/redisson-keys.js';

const world = new InteropWorld();

/**
 * The time within which a message, or the next attempt of a spin lock, serves a waiter. A safety poll (5 s here) or the
 * end of a lease (30 s) would take longer.
 */
const AT_ONCE_MS = 500;
const WATCHDOG_MS = 1500;
const LEASE_MS = 1000;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/** Behaviour that every kind of lock shares, between this library and a real Redisson. */
inWorld(world, ({ time }) => {
  describe.each(exclusiveKinds)('A lock of kind %s', (kind) => {
    const ours = (locks: LockService) => lockOfKind(locks, kind, 'n');
    const theirs = (thread: JavaThread) => thread.lock('n', kind);
    const isWrite = kind === 'write';
    const hashOf = (owner: string) => (isWrite ? { mode: 'write', [`${owner}:write`]: '1' } : { [owner]: '1' });
    const channel = isWrite ? prefixedName('redisson_rwlock', 'n') : lockChannel('n');
    // The last token is never deleted.
    const leftBehind = kind === 'fenced' ? [prefixedName('redisson_lock_token', 'n')] : [];

    /** A waiter for a spin lock listens to nothing, and sleeps for 128 ms at the most. */
    const startedWaiting = () => (kind === 'spin' ? time.pass(300) : world.listening(channel));

    it('held by Java keeps Node out until it is released', async () => {
      const { thread, locks } = await world.openBoth();
      await theirs(thread).lock();
      await expect(world.hash('n')).resolves.toEqual(hashOf(await thread.owner()));
      await expect(ours(locks).tryAcquire()).resolves.toBeNull();
      await expect(ours(locks).isLocked()).resolves.toBe(true);
      const waiting = ours(locks).acquire(UNLIMITED);
      const progress = track(waiting);
      await startedWaiting();
      expect(progress.settled).toBe(false);
      await theirs(thread).unlock();
      const hold = await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash('n')).resolves.toEqual(hashOf(hold.owner));
      await expect(hold.release()).resolves.toBe('released');
      await expect(world.hash('n')).resolves.toEqual({});
    });

    it('held by Node keeps Java out until it is released', async () => {
      const { thread, locks } = await world.openBoth();
      const hold = await ours(locks).acquire();
      await expect(world.hash('n')).resolves.toEqual(hashOf(hold.owner));
      await expect(theirs(thread).tryLock()).resolves.toBe(false);
      await expect(theirs(thread).isLocked()).resolves.toBe(true);
      const waiting = theirs(thread).lock();
      const progress = track(waiting);
      await startedWaiting();
      expect(progress.settled).toBe(false);
      await expect(hold.release()).resolves.toBe('released');
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash('n')).resolves.toEqual(hashOf(await thread.owner()));
      await theirs(thread).unlock();
      await expect(world.hash('n')).resolves.toEqual({});
    });

    it('is given up on both sides when the wait is over, and nothing is left behind', async () => {
      const { java, thread, locks } = await world.openBoth();
      await theirs(thread).lock();
      await expect(time.finish(ours(locks).tryAcquire({ wait: 400 }), 400 + time.slack)).resolves.toBeNull();
      await expect(time.finish(theirs(java.thread('b')).tryLock(400, -1), 400 + time.slack)).resolves.toBe(false);
      await time.until(async () => (await world.listeners(channel)) === 0, 2000);
      await theirs(thread).unlock();
      await expect(world.lockNames()).resolves.toEqual(leftBehind);
    });

    it('of Java goes to Node when its lease runs out, and not before', async () => {
      const { thread, locks } = await world.openBoth();
      const start = time.now();
      await theirs(thread).lock(LEASE_MS);
      await time.finish(ours(locks).acquire(UNLIMITED), LEASE_MS + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(LEASE_MS - 2);
    });

    it('of Node goes to Java when its lease runs out, and not before', async () => {
      const { thread, locks } = await world.openBoth();
      const start = time.now();
      const hold = await ours(locks).acquire({ lease: LEASE_MS });
      await time.finish(theirs(thread).lock(), LEASE_MS + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(LEASE_MS - 2);
      expect(hold.signal.aborted).toBe(true);
      await expect(hold.release()).resolves.toBe('expired');
      await expect(world.hash('n')).resolves.toEqual(hashOf(await thread.owner()));
    });

    it('of Java is kept by its watchdog while Node waits', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      await theirs(thread).lock();
      await expect(ours(locks).tryAcquire({ wait: 2.5 * WATCHDOG_MS })).resolves.toBeNull();
      await expect(world.hash('n')).resolves.toEqual(hashOf(await thread.owner()));
    });

    it('of Node is kept by its watchdog while Java waits', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      const hold = await ours(locks).acquire();
      await expect(theirs(thread).tryLock(2.5 * WATCHDOG_MS, -1)).resolves.toBe(false);
      hold.assertHeld();
      await expect(world.hash('n')).resolves.toEqual(hashOf(hold.owner));
    });

    it('of a Java process that is killed goes to Node when its TTL is over', async () => {
      const { java, thread, locks } = await world.openBoth(WATCHDOG_MS);
      await theirs(thread).lock();
      const waiting = ours(locks).acquire(UNLIMITED);
      await startedWaiting();
      await java.kill();
      const { ttl } = await world.probe.state('n');
      expect(ttl).toBeGreaterThan(0);
      const killed = time.now();
      await time.finish(waiting, ttl + time.slack);
      expect(time.now() - killed).toBeGreaterThanOrEqual(ttl - 10);
    });

    it('of a Node process that is killed goes to Java when its TTL is over', async () => {
      const { thread } = await world.openBoth(WATCHDOG_MS);
      const holder = await world.openNodeProcess(WATCHDOG_MS);
      await holder.call('acquire', kind, 'n');
      const waiting = theirs(thread).lock();
      await startedWaiting();
      holder.kill('SIGKILL');
      await holder.exited;
      const { ttl } = await world.probe.state('n');
      expect(ttl).toBeGreaterThan(0);
      const killed = time.now();
      await time.finish(waiting, ttl + time.slack);
      expect(time.now() - killed).toBeGreaterThanOrEqual(ttl - 10);
    });

    it('is taken from Node by force: its signal aborts, and its release says so', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      const hold = await ours(locks).acquire();
      await expect(theirs(thread).forceUnlock()).resolves.toBe(true);
      await time.finish(theirs(thread).lock(), AT_ONCE_MS);
      await time.until(() => hold.signal.aborted, WATCHDOG_MS);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      await expect(hold.release()).resolves.toBe('expired');
      await expect(world.hash('n')).resolves.toEqual(hashOf(await thread.owner()));
    });

    it('is taken from Java by force: its unlock throws', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      await theirs(thread).lock();
      await expect(ours(locks).forceRelease()).resolves.toBe(true);
      const hold = await time.finish(ours(locks).acquire(), AT_ONCE_MS);
      await expect(theirs(thread).unlock()).rejects.toMatchObject({ name: 'IllegalMonitorStateException' });
      await expect(world.hash('n')).resolves.toEqual(hashOf(hold.owner));
    });
  });
});
