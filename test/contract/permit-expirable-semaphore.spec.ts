import { LockConflictError, LockOwnershipError } from '../../lib/standalone.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { onEveryBackend } from '../kit/every-backend.js';

const UNKNOWN = '00000000000000000000000000000001';
const OTHER = 'aabbccddeeff00112233445566778899';

/** Rows PS of the behaviour catalogue without waiters. Bad input and foreign keys have specs of their own. */
onEveryBackend((world) => {
  const open = async (permits?: number) => {
    const semaphore = (await world.open()).locks.getPermitExpirableSemaphore('p');
    if (permits !== undefined) await semaphore.trySetPermits(permits);
    return semaphore;
  };
  type Semaphore = Awaited<ReturnType<typeof open>>;

  const counts = async (semaphore: Semaphore) => ({
    total: await semaphore.permits(),
    available: await semaphore.availablePermits(),
    out: await semaphore.acquiredPermits(),
  });

  const keys = async (): Promise<string[]> =>
    (await world.probe.names()).filter((name) => !name.startsWith('redisson_unlock_latch:')).toSorted();

  describe('A semaphore whose permits have ids and leases', () => {
    it('PS-01 has no permits before they were set', async () => {
      const semaphore = await open();
      await expect(counts(semaphore)).resolves.toEqual({ total: 0, available: 0, out: 0 });
      await expect(keys()).resolves.toEqual([]);
    });

    it('PS-02 is set once', async () => {
      const semaphore = await open();
      await expect(semaphore.trySetPermits(10)).resolves.toBe(true);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
      await expect(semaphore.trySetPermits(15)).resolves.toBe(false);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
    });

    it('PS-03 has the total that was set last, including acquired permits', async () => {
      const semaphore = await open();
      for (const total of [10, 15, 15, 5]) {
        await semaphore.setPermits(total);
        await expect(counts(semaphore)).resolves.toEqual({ total, available: total, out: 0 });
        await expect(semaphore.trySetPermits(20)).resolves.toBe(false);
      }
      await semaphore.acquireMany(3, { lease: '10s' });
      await expect(counts(semaphore)).resolves.toEqual({ total: 5, available: 2, out: 3 });
      await semaphore.setPermits(3);
      await expect(counts(semaphore)).resolves.toEqual({ total: 3, available: 0, out: 3 });
      await semaphore.setPermits(2);
      await expect(counts(semaphore)).resolves.toEqual({ total: 2, available: -1, out: 3 });
    });

    it('leaves nothing of a returned permit in this process, however it was returned', async () => {
      const { locks, runtime } = await world.open();
      const semaphore = locks.getPermitExpirableSemaphore('p');
      await semaphore.trySetPermits(5);
      const [first, second, third, fourth] = await semaphore.acquireMany(5, { lease: '10s' });
      expect(runtime.permitsOut.size).toBe(5);
      await first?.release();
      await semaphore.release(String(second?.id));
      expect(runtime.permitsOut.size).toBe(3);
      await semaphore.release([third, fourth].map((permit) => String(permit?.id)));
      expect(runtime.permitsOut.size).toBe(1);
    });

    it('PS-04 gets permits added and taken away', async () => {
      const semaphore = await open(10);
      const seen: number[] = [];
      for (const delta of [5, -10, -10]) {
        await semaphore.addPermits(delta);
        seen.push(await semaphore.availablePermits());
      }
      expect(seen).toEqual([15, 5, -5]);
    });

    it('PS-05 PS-06 gets back permits whose lease is over', async () => {
      const semaphore = await open(2);
      const take = () => world.time.finish(semaphore.tryAcquire({ wait: 20, lease: 500 }), 20 + world.time.slack);
      const seen = [await counts(semaphore)];
      await expect(take()).resolves.toHaveProperty('id');
      seen.push(await counts(semaphore));
      await expect(take()).resolves.toHaveProperty('id');
      await expect(semaphore.tryAcquire({ lease: 500 })).resolves.toBeNull();
      seen.push(await counts(semaphore));
      expect(seen.map(({ available, out }) => [available, out])).toEqual([
        [2, 0],
        [1, 1],
        [0, 2],
      ]);
      await world.time.pass(510);
      await expect(take()).resolves.toHaveProperty('id');
      await expect(counts(semaphore)).resolves.toEqual({ total: 2, available: 1, out: 1 });
      await world.time.pass(510);
      await expect(counts(semaphore)).resolves.toEqual({ total: 2, available: 2, out: 0 });
      await expect(keys()).resolves.toEqual(['p']);
    });

    it('PS-09 gives several permits at once, or none', async () => {
      const semaphore = await open(10);
      const six = await semaphore.acquireMany(6);
      expect(new Set(six.map(String)).size).toBe(6);
      await expect(semaphore.availablePermits()).resolves.toBe(4);
      await expect(semaphore.tryAcquireMany(5)).resolves.toBeNull();
      await expect(semaphore.availablePermits()).resolves.toBe(4);
      await semaphore.release(six);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
      await expect(semaphore.tryAcquireMany(4)).resolves.toHaveLength(4);
      await expect(semaphore.tryAcquireMany(5)).resolves.toHaveLength(5);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it('PS-13 refuses ids that are not acquired', async () => {
      const semaphore = await open(1);
      await expect(semaphore.release(UNKNOWN)).rejects.toThrow(LockOwnershipError);
      await expect(semaphore.release(UNKNOWN)).rejects.toMatchObject({ details: { permits: [UNKNOWN] } });
      await expect(semaphore.release(UNKNOWN)).rejects.toThrow(UNKNOWN);
      await expect(semaphore.tryRelease(UNKNOWN)).resolves.toBe(false);
      await expect(semaphore.tryRelease([UNKNOWN])).resolves.toBe(false);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it('PS-14 releases all permits of a list, or none', async () => {
      const semaphore = await open(10);
      const ids = await semaphore.acquireMany(6);
      await expect(semaphore.tryRelease(ids.slice(0, 4))).resolves.toBe(true);
      await expect(semaphore.availablePermits()).resolves.toBe(8);
      await expect(semaphore.tryRelease(ids)).resolves.toBe(false);
      await expect(semaphore.availablePermits()).resolves.toBe(8);
      await expect(semaphore.tryRelease(ids.slice(4))).resolves.toBe(true);
      await expect(semaphore.release(ids)).rejects.toThrow(LockOwnershipError);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
    });

    it('PS-15 gets back many permits whose lease is over, with any request', async () => {
      const semaphore = await open(10);
      await semaphore.acquireMany(6, { lease: 300 });
      await expect(semaphore.availablePermits()).resolves.toBe(4);
      await world.time.pass(310);
      await semaphore.acquire({ lease: 300 });
      await expect(semaphore.availablePermits()).resolves.toBe(9);
      await world.time.pass(310);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
    });

    it('PS-16 extends or shortens the lease of an acquired permit', async () => {
      const semaphore = await open(1);
      await expect(semaphore.updateLeaseTime(UNKNOWN, 1000)).resolves.toBe(false);
      const endless = await semaphore.acquire();
      await expect(semaphore.updateLeaseTime(endless, 150)).resolves.toBe(true);
      await world.time.pass(160);
      await expect(semaphore.updateLeaseTime(endless, 150)).resolves.toBe(false);
      const short = await semaphore.acquire({ lease: 300 });
      await expect(semaphore.updateLeaseTime(short, 900)).resolves.toBe(true);
      await world.time.pass(500);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await world.time.pass(410);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
      await expect(semaphore.updateLeaseTime(short, 900)).resolves.toBe(false);
    });

    it('PS-17 returns the remaining lease', async () => {
      const semaphore = await open(2);
      await expect(semaphore.leaseTime(UNKNOWN)).rejects.toThrow(LockOwnershipError);
      const endless = await semaphore.acquire();
      await expect(semaphore.leaseTime(endless)).resolves.toBe(-1);
      const leased = await semaphore.acquire({ lease: 1100 });
      await world.time.pass(100);
      const left = await semaphore.leaseTime(leased);
      expect(left).toBeLessThanOrEqual(1000);
      expect(left).toBeGreaterThan(1000 - world.time.slack);
      await semaphore.updateLeaseTime(leased);
      await expect(semaphore.leaseTime(leased)).resolves.toBe(-1);
      await semaphore.updateLeaseTime(leased, 600);
      await world.time.pass(610);
      await expect(semaphore.leaseTime(leased)).rejects.toThrow(LockOwnershipError);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it('PS-20 keeps all its keys in the slot of its name, prefix included', async () => {
      const { locks } = await world.open({ keyPrefix: 'app:' });
      for (const name of ['p', '{tag}:p']) {
        const semaphore = locks.getPermitExpirableSemaphore(name);
        await semaphore.trySetPermits(1);
        await semaphore.release(await semaphore.acquire());
        await semaphore.acquire();
        await semaphore.addPermits(1);
      }
      const slots = (await world.probe.names()).map((name) => [hashSlot(name), name] as const);
      const expected = [hashSlot('app:p'), hashSlot('tag')];
      expect(slots.filter(([slot]) => !expected.includes(slot))).toEqual([]);
      await expect(keys()).resolves.toEqual(['app:p', 'app:{tag}:p', 'app:{tag}:p:timeout', '{app:p}:timeout']);
    });

    it('PS-21 never takes back a permit without a lease', async () => {
      const { locks } = await world.open({ renewedLease: 100 });
      const semaphore = locks.getPermitExpirableSemaphore('p');
      await semaphore.trySetPermits(1);
      const id = await semaphore.acquire();
      await world.time.pass(250);
      await expect(counts(semaphore)).resolves.toEqual({ total: 1, available: 0, out: 1 });
      await semaphore.release(id);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it('reports in errors how many permits there are, and whether they were set', async () => {
      const semaphore = await open();
      const unset = semaphore.acquire({ wait: 0 });
      await expect(unset).rejects.toThrow(LockConflictError);
      await expect(unset).rejects.toMatchObject({ lockName: 'p', details: { available: 0, isSet: false } });
      await semaphore.trySetPermits(2);
      const few = semaphore.acquireMany(3, { wait: 0 });
      await expect(few).rejects.toMatchObject({ code: 'LOCK_CONFLICT', details: { available: 2, isSet: true } });
    });

    it('counts a permit once that is released after its lease, and reports that', async () => {
      const semaphore = await open(2);
      const [first, second] = [await semaphore.acquire({ lease: 600 }), await semaphore.acquire({ lease: 600 })];
      await world.time.pass(610);
      await expect(semaphore.tryRelease([first, second])).resolves.toBe(false);
      await expect(semaphore.release(first)).rejects.toThrow(LockOwnershipError);
      await expect(semaphore.tryRelease(first)).resolves.toBe(false);
      await expect(counts(semaphore)).resolves.toEqual({ total: 2, available: 2, out: 0 });
      await expect(semaphore.tryRelease(second)).resolves.toBe(false);
      await expect(counts(semaphore)).resolves.toEqual({ total: 2, available: 2, out: 0 });
    });

    it('releases after work that succeeds or fails, and returns its result or error', async () => {
      const client = await world.open();
      const semaphore = client.locks.getPermitExpirableSemaphore('p');
      await semaphore.trySetPermits(1);
      const seen = await semaphore.withPermit(async ({ id }) => [id.length, await semaphore.availablePermits()]);
      expect(seen).toEqual([32, 0]);
      const failure = new Error('no');
      await expect(semaphore.withPermit({ wait: 0 }, () => Promise.reject(failure))).rejects.toBe(failure);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
      expect(client.events).toEqual([]);
    });

    it('reports work that lasted longer than its permit, and returns its result', async () => {
      const client = await world.open();
      const semaphore = client.locks.getPermitExpirableSemaphore('p');
      await semaphore.trySetPermits(1);
      const work = semaphore.withPermit({ lease: 600 }, async ({ id }) => {
        await world.time.pause(620);
        return id;
      });
      const id = await world.time.finish(work, 5000);
      expect(client.events).toMatchObject([{ type: 'lost', lockName: 'p', owner: id }]);
      await expect(counts(semaphore)).resolves.toEqual({ total: 1, available: 1, out: 0 });
    });

    it('is deleted together with the acquired permits', async () => {
      const semaphore = await open();
      await expect(semaphore.delete()).resolves.toBe(false);
      await semaphore.trySetPermits(2);
      const id = await semaphore.acquire();
      await expect(semaphore.delete()).resolves.toBe(true);
      await expect(keys()).resolves.toEqual([]);
      await expect(semaphore.tryRelease(id)).resolves.toBe(false);
      await expect(counts(semaphore)).resolves.toEqual({ total: 0, available: 0, out: 0 });
      await expect(keys()).resolves.toEqual([]);
    });

    it('shares its number with the semaphore of the same name, as in Redisson', async () => {
      const { locks } = await world.open();
      const [expirable, plain] = [locks.getPermitExpirableSemaphore('p'), locks.getSemaphore('p')];
      await plain.trySetPermits(2);
      await expirable.acquire();
      await plain.acquire();
      await expect(expirable.tryAcquire()).resolves.toBeNull();
    });

    it('has one effect for a transition that is executed twice', async () => {
      const { permitExpirableSemaphore: transitions } = (await world.open()).runtime.backend;
      await transitions.trySetPermits('p', 5);
      const state = () => transitions.inspect('p');
      for (let time = 1; time <= 2; time++) {
        const reply = await transitions.acquire({ name: 'p', ids: [UNKNOWN, OTHER], lease: 10_000 });
        expect(reply.outcome).toBe('acquired');
        await expect(state()).resolves.toEqual({ isSet: true, available: 3, out: 2 });
      }
      await transitions.releaseAll('p', [UNKNOWN, OTHER]);
      await expect(transitions.releaseAll('p', [UNKNOWN, OTHER])).resolves.toBe('not-held');
      await expect(state()).resolves.toEqual({ isSet: true, available: 5, out: 0 });
      await transitions.acquire({ name: 'p', ids: [UNKNOWN], lease: Number.POSITIVE_INFINITY });
      await expect(transitions.release('p', UNKNOWN)).resolves.toBe('released');
      await expect(transitions.release('p', UNKNOWN)).resolves.toBe('not-held');
      await expect(state()).resolves.toEqual({ isSet: true, available: 5, out: 0 });
    });
  });
});
