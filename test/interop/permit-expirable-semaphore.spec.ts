import { LockOwnershipError } from '../../lib/standalone.js';
import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';
import { prefixedName, suffixedName } from '../../lib/keys/redisson-keys.js';

const world = new InteropWorld();

const CHANNEL = prefixedName('redisson_sc', 'p');
const DEADLINES = suffixedName('p', 'timeout');
/**
 * The time within which a message wakes a waiter. A blocked Java thread looks again for no other reason, and Node polls
 * every 5 s.
 */
const AT_ONCE_MS = 500;
const LEASE_MS = 1000;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/** A semaphore whose permits have leases, between this library and a real Redisson. */
inWorld(world, ({ time }) => {
  const openBoth = async () => {
    const { java, locks } = await world.openBoth();
    const theirs = (thread = 'a') => java.thread(thread).permits('p');
    return { theirs, ours: locks.getPermitExpirableSemaphore('p') };
  };

  /** The ids of the acquired permits, as Redis stores them. */
  const permitsOut = async (): Promise<string[]> => {
    const members = await world.admin.zrangeBuffer(DEADLINES, '0', '-1');
    return members.map((member) => member.toString('hex'));
  };

  describe('Permits with a lease', () => {
    it('taken by either side are released by the other', async () => {
      const { theirs, ours } = await openBoth();
      await theirs().trySetPermits(2);
      const { id: inNode } = await ours.acquire({ lease: '1m' });
      const [inJava = ''] = await theirs().acquire(1, 60_000);
      expect((await permitsOut()).sort()).toEqual([inNode, inJava].sort());
      await expect(theirs().tryRelease(inNode)).resolves.toBe(true);
      await expect(ours.tryRelease(inJava)).resolves.toBe(true);
      await expect(permitsOut()).resolves.toEqual([]);
      await expect(world.admin.get('p')).resolves.toBe('2');
    });

    it('are released only once, whichever side does it', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(2);
      const [{ id: inNode }, [inJava = '']] = [await ours.acquire(), await theirs().acquire()];
      await ours.release(inJava);
      await expect(theirs().release(inJava)).rejects.toMatchObject({ cause: expect.stringContaining(inJava) });
      await theirs().release(inNode);
      await expect(ours.release(inNode)).rejects.toBeInstanceOf(LockOwnershipError);
      await expect(world.admin.get('p')).resolves.toBe('2');
    });

    it('are counted alike on both sides', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(5);
      await ours.acquireMany(2, { lease: '1m' });
      await theirs().acquire(1, 60_000);
      const inJava = [theirs().availablePermits(), theirs().acquiredPermits(), theirs().getPermits()];
      await expect(Promise.all(inJava)).resolves.toEqual([2, 3, 5]);
      const inNode = [ours.availablePermits(), ours.acquiredPermits(), ours.permits()];
      await expect(Promise.all(inNode)).resolves.toEqual([2, 3, 5]);
    });

    it('released by Node wake a Java waiter at once', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      const permit = await ours.acquire();
      const waiting = theirs().acquire();
      const progress = track(waiting);
      await world.listening(CHANNEL);
      expect(progress.settled).toBe(false);
      await ours.release(permit);
      const taken = await time.finish(waiting, AT_ONCE_MS);
      await expect(permitsOut()).resolves.toEqual(taken);
    });

    it('released by Java wake a Node waiter at once', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      const [permit = ''] = await theirs().acquire();
      const waiting = ours.acquire(UNLIMITED);
      const progress = track(waiting);
      await world.listening(CHANNEL);
      expect(progress.settled).toBe(false);
      await theirs().release(permit);
      const taken = await time.finish(waiting, AT_ONCE_MS);
      await expect(permitsOut()).resolves.toEqual([taken.id]);
    });

    it('of Node go to a waiting Java thread when the lease is over, and not before', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      const start = time.now();
      const permit = await ours.acquire({ lease: LEASE_MS });
      await time.finish(theirs().acquire(), LEASE_MS + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(LEASE_MS - 2);
      await expect(ours.tryRelease(permit)).resolves.toBe(false);
      await expect(world.admin.get('p')).resolves.toBe('0');
    });

    it('of Java go to a waiting Node caller when the lease is over, and not before', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      const start = time.now();
      const [permit = ''] = await theirs().acquire(1, LEASE_MS);
      await time.finish(ours.acquire(UNLIMITED), LEASE_MS + time.slack);
      expect(time.now() - start).toBeGreaterThanOrEqual(LEASE_MS - 2);
      await expect(theirs().tryRelease(permit)).resolves.toBe(false);
      await expect(world.admin.get('p')).resolves.toBe('0');
    });

    it('get another lease from the side that did not take them', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(2);
      const [{ id: inNode }, [inJava = '']] = [await ours.acquire({ lease: '1m' }), await theirs().acquire(1, 60_000)];
      await expect(theirs().updateLeaseTime(inNode, 5000)).resolves.toBe(true);
      await expect(ours.updateLeaseTime(inJava, 5000)).resolves.toBe(true);
      const remaining = [
        await ours.leaseTime(inNode),
        await theirs().getLeaseTime(inNode),
        await ours.leaseTime(inJava),
        await theirs().getLeaseTime(inJava),
      ];
      for (const ms of remaining) {
        expect(ms).toBeGreaterThan(5000 - AT_ONCE_MS);
        expect(ms).toBeLessThanOrEqual(5000);
      }
    });

    it('without an end have none on the other side', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(2);
      await expect(theirs().getLeaseTime((await ours.acquire()).id)).resolves.toBe(-1);
      const [inJava = ''] = await theirs().acquire();
      await expect(ours.leaseTime(inJava)).resolves.toBe(-1);
    });

    it('taken together are released together, all or none', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(4);
      const [permits, inJava] = [await ours.acquireMany(2), await theirs().acquire(2)];
      const inNode = permits.map(({ id }) => id);
      const unknown = '0'.repeat(32);
      await expect(theirs().tryReleaseAll([...inNode, unknown])).resolves.toBe(0);
      await expect(ours.tryRelease([...inJava, unknown])).resolves.toBe(false);
      await expect(theirs().tryReleaseAll(inNode)).resolves.toBe(2);
      await expect(ours.tryRelease(inJava)).resolves.toBe(true);
      await expect(world.admin.get('p')).resolves.toBe('4');
    });

    it('added or set by either side wake the other', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(0);
      const inJava = theirs().acquire();
      await world.listening(CHANNEL);
      await ours.addPermits(1);
      await time.finish(inJava, AT_ONCE_MS);
      const inNode = ours.acquire(UNLIMITED);
      await world.listening(CHANNEL);
      await theirs().setPermits(2);
      await time.finish(inNode, AT_ONCE_MS);
      const again = theirs().acquire();
      await world.listening(CHANNEL);
      await ours.setPermits(3);
      await time.finish(again, AT_ONCE_MS);
      await expect(world.admin.get('p')).resolves.toBe('0');
    });

    it('are not taken by waits that are over, on either side', async () => {
      const { theirs, ours } = await openBoth();
      await ours.trySetPermits(1);
      const waits = Promise.all([ours.tryAcquireMany(2, { wait: 300 }), theirs().tryAcquire(2, 300)]);
      await expect(time.finish(waits, 300 + time.slack)).resolves.toEqual([null, []]);
      await time.until(async () => (await world.listeners(CHANNEL)) === 0, 2000);
      await expect(world.admin.get('p')).resolves.toBe('1');
    });
  });
});
