import { LockLostError, LockOwnershipError } from '../../lib/standalone.js';
import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

const CHANNEL = lockChannel('n');

const world = new InteropWorld();

/** The time within which a message wakes a waiter. A poll (5 s here) or the end of a lease (30 s) would take longer. */
const AT_ONCE_MS = 500;

const WATCHDOG_MS = 1500;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/** The reentrant lock between this library and a real Redisson. */
inWorld(world, ({ time }) => {
  const notTheirs = { name: 'IllegalMonitorStateException' };

  describe.each(['n', '{orders}:7', 'a{b}c', 'Größe:鍵:🔒'])('The lock %p', (name) => {
    it('held by Java keeps Node out, and Node is woken at once by the release', async () => {
      const { thread, locks } = await world.openBoth();
      const theirs = thread.lock(name);
      await theirs.lock();
      await expect(locks.tryAcquire(name)).resolves.toBeNull();
      await expect(locks.getLock(name).isLocked()).resolves.toBe(true);
      const waiting = locks.acquire(name, UNLIMITED);
      const progress = track(waiting);
      await world.listening(lockChannel(name));
      expect(progress.settled).toBe(false);
      await theirs.unlock();
      const hold = await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash(name)).resolves.toEqual({ [hold.owner]: '1' });
      await expect(theirs.tryLock()).resolves.toBe(false);
      await hold.release();
      await expect(theirs.tryLock()).resolves.toBe(true);
    });

    it('held by Node keeps Java out, and Java is woken at once by the release', async () => {
      const { thread, locks } = await world.openBoth();
      const hold = await locks.acquire(name);
      const theirs = thread.lock(name);
      await expect(theirs.tryLock()).resolves.toBe(false);
      await expect(theirs.isLocked()).resolves.toBe(true);
      const waiting = theirs.lock();
      const progress = track(waiting);
      await world.listening(lockChannel(name));
      expect(progress.settled).toBe(false);
      await expect(hold.release()).resolves.toBe('released');
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash(name)).resolves.toEqual({ [await thread.owner()]: '1' });
      await expect(locks.tryAcquire(name)).resolves.toBeNull();
    });
  });

  describe('Waiting with a limit', () => {
    it('ends on both sides without the lock, and leaves no subscription behind', async () => {
      const { java, thread, locks } = await world.openBoth();
      await thread.lock('theirs').lock();
      await locks.acquire('ours');
      const [inNode, inJava] = [
        locks.tryAcquire('theirs', { wait: 400 }),
        java.thread('b').lock('ours').tryLock(400, -1),
      ];
      await expect(time.finish(inNode, 400 + time.slack)).resolves.toBeNull();
      await expect(time.finish(inJava, 400 + time.slack)).resolves.toBe(false);
      await time.until(async () => (await world.probe.channels()).every((name) => !name.includes('lock')), 2000);
    });
  });

  describe('Re-entry', () => {
    it('of a Java thread is counted in the hash, and only the last release lets Node in', async () => {
      const { thread, locks } = await world.openBoth();
      const theirs = thread.lock('n');
      await theirs.lock();
      await theirs.lock();
      const owner = await thread.owner();
      await expect(world.hash('n')).resolves.toEqual({ [owner]: '2' });
      const waiting = locks.acquire('n', UNLIMITED);
      const progress = track(waiting);
      await world.listening(CHANNEL);
      await theirs.unlock();
      await expect(world.hash('n')).resolves.toEqual({ [owner]: '1' });
      await time.pass(AT_ONCE_MS);
      expect(progress.settled).toBe(false);
      await theirs.unlock();
      const hold = await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash('n')).resolves.toEqual({ [hold.owner]: '1' });
    });

    it('of a Node owner is counted in the hash, and only the last release lets Java in', async () => {
      const { thread, locks } = await world.openBoth();
      const outer = await locks.acquire('n');
      const inner = await outer.run(() => locks.acquire('n'));
      await expect(world.hash('n')).resolves.toEqual({ [outer.owner]: '2' });
      const waiting = thread.lock('n').lock();
      const progress = track(waiting);
      await world.listening(CHANNEL);
      await expect(inner.release()).resolves.toBe('still-held');
      await expect(world.hash('n')).resolves.toEqual({ [outer.owner]: '1' });
      await time.pass(AT_ONCE_MS);
      expect(progress.settled).toBe(false);
      await expect(outer.release()).resolves.toBe('released');
      await time.finish(waiting, AT_ONCE_MS);
      await expect(world.hash('n')).resolves.toEqual({ [await thread.owner()]: '1' });
    });

    it('is not for other threads of the Java process, nor for other callers of the Node process', async () => {
      const { java, thread, locks } = await world.openBoth();
      await thread.lock('theirs').lock();
      await locks.acquire('ours');
      await expect(java.thread('b').lock('theirs').tryLock()).resolves.toBe(false);
      await expect(locks.tryAcquire('ours')).resolves.toBeNull();
    });
  });

  describe('A release', () => {
    it('by Java of what Node holds is refused, and changes nothing', async () => {
      const { thread, locks } = await world.openBoth();
      const hold = await locks.acquire('n');
      await expect(thread.lock('n').unlock()).rejects.toMatchObject(notTheirs);
      await expect(thread.lock('n').isHeldByCurrentThread()).resolves.toBe(false);
      await expect(world.hash('n')).resolves.toEqual({ [hold.owner]: '1' });
      hold.assertHeld();
      await expect(hold.release()).resolves.toBe('released');
    });

    it('by Node of what Java holds is refused, and changes nothing', async () => {
      const { thread, locks } = await world.openBoth();
      await thread.lock('n').lock();
      await expect(locks.runInScope(() => locks.getLock('n').release())).rejects.toBeInstanceOf(LockOwnershipError);
      await expect(world.hash('n')).resolves.toEqual({ [await thread.owner()]: '1' });
      await thread.lock('n').unlock();
    });

    it('by Node of a hold that ran out does not touch the Java hold that came after it', async () => {
      const { thread, locks } = await world.openBoth();
      const late = await locks.acquire('n', { lease: 300 });
      await time.finish(thread.lock('n').lock(), 300 + time.slack);
      expect(() => late.assertHeld()).toThrow(LockLostError);
      await expect(late.release()).resolves.toBe('expired');
      await expect(world.hash('n')).resolves.toEqual({ [await thread.owner()]: '1' });
    });

    it('by Java of a hold that ran out does not touch the Node hold that came after it', async () => {
      const { thread, locks } = await world.openBoth();
      await thread.lock('n').lock(300);
      const hold = await time.finish(locks.acquire('n', UNLIMITED), 300 + time.slack);
      await expect(thread.lock('n').unlock()).rejects.toMatchObject(notTheirs);
      await expect(world.hash('n')).resolves.toEqual({ [hold.owner]: '1' });
      hold.assertHeld();
    });
  });

  describe('A lease', () => {
    const LEASE_MS = 1200;

    it('of Java that runs out hands over to Node, and not before', async () => {
      const { thread, locks } = await world.openBoth();
      const start = time.now();
      await thread.lock('n').lock(LEASE_MS);
      await expect(locks.getLock('n').remainingLease()).resolves.toBeGreaterThan(LEASE_MS - AT_ONCE_MS);
      await time.finish(locks.acquire('n', UNLIMITED), LEASE_MS + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(LEASE_MS - 2);
    });

    it('of Node that runs out hands over to Java, and not before', async () => {
      const { thread, locks } = await world.openBoth();
      const start = time.now();
      const hold = await locks.acquire('n', { lease: LEASE_MS });
      const left = await thread.lock('n').remainTimeToLive();
      expect(left).toBeGreaterThanOrEqual(LEASE_MS - Math.ceil(time.now() - start));
      await time.finish(thread.lock('n').lock(), LEASE_MS + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(LEASE_MS - 2);
      // The holder knew that its lease was over before Java could get the lock.
      expect(hold.signal.aborted).toBe(true);
    });

    it('that Node extends keeps Java out for as long', async () => {
      const { thread, locks } = await world.openBoth();
      const hold = await locks.acquire('n', { lease: 500 });
      const start = time.now();
      await hold.extend(1500);
      await time.finish(thread.lock('n').lock(), 1500 + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(1498);
    });
  });

  describe('The watchdog', () => {
    it('of Java keeps its hold while Node waits for longer than the time-out', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      await thread.lock('n').lock();
      await expect(locks.tryAcquire('n', { wait: 3 * WATCHDOG_MS })).resolves.toBeNull();
      await expect(world.hash('n')).resolves.toEqual({ [await thread.owner()]: '1' });
      await thread.lock('n').unlock();
    });

    it('of Node keeps its hold while Java waits for longer than the time-out', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      const hold = await locks.acquire('n');
      await expect(thread.lock('n').tryLock(3 * WATCHDOG_MS, -1)).resolves.toBe(false);
      hold.assertHeld();
      await expect(world.hash('n')).resolves.toEqual({ [hold.owner]: '1' });
      await expect(hold.release()).resolves.toBe('released');
    });

    it('of either side leaves alone what the other took over', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      const before = await locks.acquire('n');
      await thread.lock('m').lock();
      const owner = await thread.owner();
      // Gives each lock to the other side, with a lease that must not be renewed.
      await world.probe.put('n', owner, WATCHDOG_MS);
      await world.probe.put('m', before.owner, WATCHDOG_MS);
      await time.until(async () => (await world.probe.names()).length === 0, WATCHDOG_MS + time.slack);
      expect(before.signal.aborted).toBe(true);
    });
  });

  describe('A crash', () => {
    it('of the Java holder lets Node in when the TTL is over, and not before', async () => {
      const { java, thread, locks } = await world.openBoth(WATCHDOG_MS);
      await thread.lock('n').lock();
      const waiting = locks.acquire('n', UNLIMITED);
      const progress = track(waiting);
      await time.pass(2 * WATCHDOG_MS);
      expect(progress.settled).toBe(false);
      await java.kill();
      const { ttl } = await world.probe.state('n');
      const killed = time.now();
      expect(ttl).toBeGreaterThan(0);
      await time.finish(waiting, ttl + time.slack);
      expect(time.now() - killed).toBeGreaterThanOrEqual(ttl - 10);
    });

    it('of the Node holder lets Java in when the TTL is over, and not before', async () => {
      const { thread } = await world.openBoth(WATCHDOG_MS);
      const holder = await world.openNodeProcess(WATCHDOG_MS);
      await holder.call('acquire', 'plain', 'n');
      const waiting = thread.lock('n').lock();
      const progress = track(waiting);
      await time.pass(2 * WATCHDOG_MS);
      expect(progress.settled).toBe(false);
      holder.kill('SIGKILL');
      await holder.exited;
      const { ttl } = await world.probe.state('n');
      const killed = time.now();
      expect(ttl).toBeGreaterThan(0);
      await time.finish(waiting, ttl + time.slack);
      expect(time.now() - killed).toBeGreaterThanOrEqual(ttl - 10);
    });

    it('of a Java waiter does not keep Node from the lock', async () => {
      const { java, locks } = await world.openBoth();
      const hold = await locks.acquire('n');
      const abandoned = java.thread('b').lock('n').lock();
      await world.listening(CHANNEL);
      const waiting = locks.acquire('n', UNLIMITED);
      await world.listening(CHANNEL, 2);
      await Promise.all([expect(abandoned).rejects.toThrow('SIGKILL'), java.kill()]);
      await hold.release();
      await time.finish(waiting, AT_ONCE_MS);
    });
  });

  describe('Force', () => {
    it('by Java ends a Node hold: its signal aborts, its release says expired, and a Node waiter is woken', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      const hold = await locks.acquire('n');
      const waiting = locks.acquire('n', UNLIMITED);
      await world.listening(CHANNEL);
      await expect(thread.lock('n').forceUnlock()).resolves.toBe(true);
      const next = await time.finish(waiting, AT_ONCE_MS);
      await time.until(() => hold.signal.aborted, WATCHDOG_MS);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      await expect(hold.release()).resolves.toBe('expired');
      await expect(world.hash('n')).resolves.toEqual({ [next.owner]: '1' });
    });

    it('by Node ends a Java hold: its unlock throws, and a Java waiter is woken', async () => {
      const { java, thread, locks } = await world.openBoth(WATCHDOG_MS);
      await thread.lock('n').lock();
      const waiting = java.thread('b').lock('n').lock();
      await world.listening(CHANNEL);
      await expect(locks.getLock('n').forceRelease()).resolves.toBe(true);
      await time.finish(waiting, AT_ONCE_MS);
      await expect(thread.lock('n').unlock()).rejects.toMatchObject(notTheirs);
      await expect(world.hash('n')).resolves.toEqual({ [await java.thread('b').owner()]: '1' });
    });

    it('finds nothing to end if the lock is free', async () => {
      const { thread, locks } = await world.openBoth();
      await expect(thread.lock('n').forceUnlock()).resolves.toBe(false);
      await expect(locks.getLock('n').forceRelease()).resolves.toBe(false);
    });
  });
});
