import { setTimeout as sleep } from 'node:timers/promises';
import { clientChannel, clientsChannel, lockChannel } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { InteropWorld } from './interop-world.js';
import { redissonVersions } from './peer-build.js';

const CHANNEL = lockChannel('n');

const world = new InteropWorld();

/** The time within which a message wakes a waiter. A poll (5 s here) or the end of a lease (30 s) would take longer. */
const AT_ONCE_MS = 500;

const WATCHDOG_MS = 1500;
/** Redisson asks before it subscribes and after it has subscribed. */
const ATTEMPTS = 2;
/** The longest lease that a client gets at once with the lock, so that the others are told of it. */
const LEASE_MS = 6000;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/** The plain lock between Java and Node clients that give it to one another. */
inWorld(world, ({ time }) => {
  const openPatient = (): ReturnType<typeof world.open> => world.open({ commandTimeout: LEASE_MS / 3 });

  describe.each(redissonVersions)('Redisson %s', (version) => {
    it('ignores every message but 0 and 1: its waiter sends nothing, logs nothing, and is woken by the release', async () => {
      const java = await world.openJava({ version });
      const owner = await java.thread('a').owner();
      const attempts = await world.countAttempts(owner);
      const { locks } = await world.open();
      const hold = await locks.acquire('n');
      const waiting = java.thread('a').lock('n').lock();
      const progress = track(waiting);
      await time.until(() => attempts() === ATTEMPTS, 5000);
      for (const lease of ['2', '1000', '30000', '4294967296'])
        for (let each = 0; each < 50; each += 1) await world.admin.publish(CHANNEL, lease);
      await world.admin.publish(clientChannel('n', 'client'), 'client:1 3000 1700000000000');
      await sleep(200);
      expect(attempts()).toBe(ATTEMPTS);
      expect(progress.settled).toBe(false);
      await hold.release();
      await time.finish(waiting, AT_ONCE_MS);
      expect(await world.hash('n')).toEqual({ [owner]: '1' });
      await java.thread('a').lock('n').unlock();
      expect(java.log).toBe('');
    });

    it('waits on while Node clients that do not count it pass the lock on, and gets its turn after them', async () => {
      const java = await world.openJava({ version });
      const owner = await java.thread('a').owner();
      const attempts = await world.countAttempts(owner);
      const [first, second] = await Promise.all([openPatient(), openPatient()]);
      const lease = { lease: LEASE_MS, ...UNLIMITED };
      const hold = await first.locks.acquire('n', lease);
      const granted = second.locks.acquire('n', lease);
      await world.waitingEntries('n', 1);
      const waiting = java.thread('a').lock('n').lock();
      const progress = track(waiting);
      await time.until(() => attempts() === ATTEMPTS, 5000);
      // A client that is only about to listen hides one that listens, which is Java.
      const beginner = world.admin.duplicate();
      await beginner.subscribe(clientsChannel('n'));
      const messages = await world.messagesOn(CHANNEL);
      await hold.release();
      const next = await time.finish(granted, AT_ONCE_MS);
      await sleep(200);
      expect(messages).toEqual([String(LEASE_MS)]);
      expect(attempts()).toBe(ATTEMPTS);
      expect(progress.settled).toBe(false);
      beginner.disconnect();
      await next.release();
      await time.finish(waiting, AT_ONCE_MS);
      expect(await world.hash('n')).toEqual({ [owner]: '1' });
      expect(await world.lockNames()).toEqual(['n']);
      expect(java.log).toBe('');
    });
  });

  describe('A crash', () => {
    it('of a Java holder lets in the Node clients that have entries, one after the other', async () => {
      const [{ java, thread }, ...nodes] = await Promise.all([world.openBoth(WATCHDOG_MS), world.open(), world.open()]);
      await thread.lock('n').lock();
      const waiting = nodes.map(({ locks }) => locks.acquire('n', UNLIMITED));
      await world.waitingEntries('n', 2);
      await java.kill();
      const { ttl } = await world.probe.state('n');
      expect(ttl).toBeGreaterThan(0);
      const first = await time.finish(Promise.race(waiting), ttl + time.slack);
      await first.release();
      const both = await time.finish(Promise.all(waiting), AT_ONCE_MS);
      await Promise.all(both.filter((hold) => hold !== first).map((hold) => hold.release()));
      expect(await world.lockNames()).toEqual([]);
    });

    it('of a Node holder lets in both a Java thread and a Node client that has an entry', async () => {
      const { thread, locks } = await world.openBoth(WATCHDOG_MS);
      const holder = await world.openNodeProcess(WATCHDOG_MS);
      await holder.call('acquire', 'plain', 'n');
      const node = locks.acquire('n', UNLIMITED).then((hold) => hold.release());
      await world.waitingEntries('n', 1);
      const java = thread
        .lock('n')
        .lock()
        .then(() => thread.lock('n').unlock());
      await world.listening(CHANNEL, 2);
      holder.kill('SIGKILL');
      await holder.exited;
      const { ttl } = await world.probe.state('n');
      expect(ttl).toBeGreaterThan(0);
      await time.finish(Promise.all([node, java]), ttl + time.slack + AT_ONCE_MS);
      expect(await world.lockNames()).toEqual([]);
    });

    it('of a Node client that was given the lock lets Java in at the end of the first lease, and not before', async () => {
      const COMMAND_TIMEOUT_MS = 200;
      const { thread, locks } = await world.openBoth();
      const grantee = await world.openNodeProcess(30_000, COMMAND_TIMEOUT_MS);
      const hold = await locks.acquire('n');
      const granted = grantee.call('acquire', 'plain', 'n');
      await Promise.all([world.waitingEntries('n', 1), world.listening(CHANNEL)]);
      // An entry that is older than 100 ms is given a first lease.
      await time.pass(150);
      // It stays subscribed, but can neither take what it is given nor set its whole lease.
      grantee.kill('SIGSTOP');
      await hold.release();
      const [owner = ''] = Object.keys(await world.hash('n'));
      expect(owner).not.toBe('');
      const start = time.now();
      const { ttl } = await world.probe.state('n');
      expect(ttl).toBeLessThanOrEqual(3 * COMMAND_TIMEOUT_MS);
      const waiting = thread.lock('n').lock();
      grantee.kill('SIGKILL');
      await Promise.all([expect(granted).rejects.toThrow('SIGKILL'), grantee.exited]);
      await time.finish(waiting, ttl + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(ttl - 10);
      expect(await world.hash('n')).toEqual({ [await thread.owner()]: '1' });
    });
  });

  describe('A Node client that gives up', () => {
    it('while Java waits leaves no entry, and Java is woken by the release', async () => {
      const [{ thread, locks }, other] = await Promise.all([world.openBoth(), world.open()]);
      const hold = await locks.acquire('n');
      const controller = new AbortController();
      const leaving = other.locks.acquire('n', { ...UNLIMITED, signal: controller.signal });
      await world.waitingEntries('n', 1);
      const waiting = thread.lock('n').lock();
      await world.listening(CHANNEL, 2);
      controller.abort();
      await expect(leaving).rejects.toMatchObject({ name: 'LockAbortedError' });
      await hold.release();
      await time.finish(waiting, AT_ONCE_MS);
      await world.waitingEntries('n', 0);
    });

    it('of a lock that it was given without knowing lets Java in at once', async () => {
      const [{ thread, locks }, proxy] = await Promise.all([world.openBoth(), FaultProxy.start(world.server)]);
      world.onReset(() => proxy.close());
      const other = await world.open({}, proxy.url);
      const hold = await locks.acquire('n');
      const controller = new AbortController();
      const leaving = other.locks.acquire('n', { ...UNLIMITED, signal: controller.signal });
      await Promise.all([world.waitingEntries('n', 1), world.listening(CHANNEL)]);
      proxy.hold('reply');
      await hold.release();
      const [owner = ''] = Object.keys(await world.hash('n'));
      expect(owner).not.toBe('');
      const waiting = thread.lock('n').lock();
      await world.listening(CHANNEL, 2);
      expect(await world.hash('n')).toHaveProperty([owner]);
      controller.abort();
      await expect(leaving).rejects.toMatchObject({ name: 'LockAbortedError' });
      await time.finish(waiting, AT_ONCE_MS);
      expect(await world.hash('n')).toEqual({ [await thread.owner()]: '1' });
      proxy.heal();
    });
  });
});
