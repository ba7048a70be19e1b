import { LockConflictError, LockOptionsError, LockKeyTypeError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** Rows SE of the behaviour catalogue without waiters. */
onEveryBackend((world) => {
  const open = async (name = 's') => (await world.open()).locks.getSemaphore(name);

  /** Resolves when only these names are left. Markers of requests are deleted after the answers. */
  const leavesNothingBut = (...names: string[]): Promise<number> =>
    world.time.until(async () => (await world.probe.names()).toSorted().join() === names.toSorted().join(), 1000);

  describe('A semaphore', () => {
    it('SE-01 has the permits that were set first, until it is deleted or its time is over', async () => {
      const semaphore = await open();
      await expect(semaphore.trySetPermits(10)).resolves.toBe(true);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
      await expect(semaphore.trySetPermits(15)).resolves.toBe(false);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
      await expect(semaphore.delete()).resolves.toBe(true);
      await expect(semaphore.delete()).resolves.toBe(false);
      await expect(semaphore.trySetPermits(1, { ttl: 500 })).resolves.toBe(true);
      await world.time.pass(250);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
      await world.time.pass(300);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await leavesNothingBut();
    });

    it('SE-01 does not live longer by use', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(1, { ttl: 200 });
      for (let uses = 0; uses < 300; uses++) {
        if (await semaphore.tryAcquire()) await semaphore.releaseIfExists();
        await world.time.pass(0.75);
      }
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await leavesNothingBut();
    });

    it('expires when it is told to, unless it is told otherwise', async () => {
      const semaphore = await open();
      await expect(semaphore.expire('1m')).resolves.toBe(false);
      await expect(semaphore.clearExpire()).resolves.toBe(false);
      await expect(semaphore.remainingTtl()).resolves.toBeUndefined();
      await semaphore.trySetPermits(2);
      await expect(semaphore.remainingTtl()).resolves.toBeUndefined();
      await expect(semaphore.clearExpire()).resolves.toBe(false);
      await expect(semaphore.expire('1m')).resolves.toBe(true);
      const remaining = await semaphore.remainingTtl();
      expect(remaining).toBeGreaterThan(50_000);
      expect(remaining).toBeLessThanOrEqual(60_000);
      await expect(semaphore.clearExpire()).resolves.toBe(true);
      await expect(semaphore.remainingTtl()).resolves.toBeUndefined();
      await expect(semaphore.expire(100)).resolves.toBe(true);
      await world.time.pass(150);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await leavesNothingBut();
    });

    it('SE-02 SE-21 counts acquired and released permits', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(10);
      const counts: number[] = [];
      const count = async (step: Promise<void>): Promise<void> => {
        await step;
        counts.push(await semaphore.availablePermits());
      };
      await count(semaphore.acquire());
      await count(semaphore.release(10));
      await count(semaphore.release());
      await count(semaphore.acquire(5));
      await count(semaphore.release(5));
      expect(counts).toEqual([9, 19, 20, 15, 20]);
      await leavesNothingBut('s');
    });

    it('SE-03 is created by a release', async () => {
      const semaphore = await open();
      await semaphore.release();
      await expect(semaphore.availablePermits()).resolves.toBe(1);
      await semaphore.release();
      await semaphore.acquire(2);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
    });

    it('SE-04 gives 0 permits at once without a command', async () => {
      const semaphore = await open();
      const asked = await world.probe.commands();
      await expect(semaphore.tryAcquire(0, { wait: '10m' })).resolves.toBe(true);
      await expect(semaphore.acquire(-0, { wait: 0 })).resolves.toBeUndefined();
      await semaphore.release(0);
      await expect(semaphore.releaseIfExists(0)).resolves.toBe(false);
      await expect(semaphore.withPermits(0, () => 'done')).resolves.toBe('done');
      await expect(world.probe.commands()).resolves.toBe(asked);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await expect(world.probe.names()).resolves.toEqual([]);
    });

    it('SE-05 gets more permits by addPermits()', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(10);
      await semaphore.acquire(10);
      await semaphore.addPermits(4);
      await expect(semaphore.availablePermits()).resolves.toBe(4);
      await semaphore.release(10);
      await semaphore.acquire(5);
      await expect(semaphore.availablePermits()).resolves.toBe(9);
    });

    it('SE-06 can have a negative number of permits', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(10);
      await semaphore.acquire(10);
      await semaphore.addPermits(-5);
      await expect(semaphore.availablePermits()).resolves.toBe(-5);
      await expect(semaphore.tryAcquire()).resolves.toBe(false);
      await semaphore.release(10);
      await semaphore.acquire(5);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
    });

    it('SE-10 is drained of all its permits', async () => {
      const semaphore = await open();
      await expect(semaphore.drainPermits()).resolves.toBe(0);
      await expect(world.probe.names()).resolves.toEqual([]);
      await semaphore.trySetPermits(10);
      await semaphore.acquire(3);
      await expect(semaphore.drainPermits()).resolves.toBe(7);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await semaphore.addPermits(-2);
      await expect(semaphore.drainPermits()).resolves.toBe(-2);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
      await leavesNothingBut('s');
    });

    it('SE-11 gets permits by releaseIfExists() only if it exists', async () => {
      const semaphore = await open();
      await expect(semaphore.releaseIfExists()).resolves.toBe(false);
      await leavesNothingBut();
      await semaphore.trySetPermits(9);
      await expect(semaphore.releaseIfExists()).resolves.toBe(true);
      await expect(semaphore.availablePermits()).resolves.toBe(10);
    });

    it('SE-14 refuses invalid numbers of permits without a command', async () => {
      const semaphore = await open();
      const asked = await world.probe.commands();
      const numbers = [-1, 0.5, NaN, Infinity, 2 ** 31, '1', null, {}, 1n];
      for (const permits of numbers as number[]) {
        for (const call of [
          () => semaphore.acquire(permits),
          () => semaphore.tryAcquire(permits),
          () => semaphore.withPermits(permits, () => 'never'),
          () => semaphore.release(permits),
          () => semaphore.releaseIfExists(permits),
          () => semaphore.trySetPermits(permits),
          () => semaphore.addPermits(permits === -1 ? -(2 ** 31) : permits),
        ]) {
          await expect(call()).rejects.toThrow(LockOptionsError);
        }
      }
      await expect(semaphore.acquire(-1)).rejects.toThrow('-1');
      for (const options of [{ wait: -1 }, { signal: 'now' }, { lease: 5 }] as never[]) {
        await expect(semaphore.acquire(1, options)).rejects.toThrow(LockOptionsError);
        await expect(semaphore.tryAcquire(0, options)).rejects.toThrow(LockOptionsError);
        await expect(semaphore.withPermits(1, options, () => 'never')).rejects.toThrow(LockOptionsError);
      }
      for (const ttl of [0, -1, 0.5, Infinity, 'soon'] as never[]) {
        await expect(semaphore.trySetPermits(1, { ttl })).rejects.toThrow(LockOptionsError);
        await expect(semaphore.expire(ttl)).rejects.toThrow(LockOptionsError);
      }
      await expect(semaphore.withPermits(1, 'fn' as never)).rejects.toThrow(LockOptionsError);
      await expect(world.probe.commands()).resolves.toBe(asked);
    });

    it('SE-15 accepts a release by any process', async () => {
      const [a, b] = [await open(), await open()];
      await a.trySetPermits(1);
      await a.acquire();
      await expect(b.tryAcquire()).resolves.toBe(false);
      await b.release();
      await expect(a.tryAcquire()).resolves.toBe(true);
    });

    it('SE-19 is one semaphore through all its handles', async () => {
      const { locks } = await world.open();
      const [one, two] = [locks.getSemaphore('s'), locks.getSemaphore('s')];
      await one.trySetPermits(4);
      await one.acquire();
      await expect(two.tryAcquire()).resolves.toBe(true);
      await two.release();
      await one.acquire(3);
      await expect(one.tryAcquire()).resolves.toBe(false);
      await expect(two.tryAcquire()).resolves.toBe(false);
      await one.release();
      await expect(two.tryAcquire()).resolves.toBe(true);
    });

    it('SE-20 has up to 2^31 - 1 permits under a name of 1000 characters, and refuses one more', async () => {
      const { locks } = await world.open({ maxNameBytes: 1000 });
      const semaphore = locks.getSemaphore('s'.repeat(1000));
      const most = 2 ** 31 - 1;
      await semaphore.trySetPermits(most);
      for (let round = 0; round < 100; round++) await semaphore.acquire();
      await expect(semaphore.availablePermits()).resolves.toBe(most - 100);
      for (let round = 0; round < 100; round++) await semaphore.release();
      await expect(semaphore.availablePermits()).resolves.toBe(most);
      for (const more of [semaphore.release(), semaphore.releaseIfExists(), semaphore.addPermits(1)]) {
        await expect(more).rejects.toMatchObject({ code: 'LOCK_OPTIONS', details: { available: most, permits: 1 } });
      }
      await expect(semaphore.availablePermits()).resolves.toBe(most);
      await semaphore.drainPermits();
      await semaphore.addPermits(-most);
      await expect(semaphore.addPermits(-1)).rejects.toThrow(LockOptionsError);
      await expect(semaphore.availablePermits()).resolves.toBe(-most);
    });

    it('reports in errors how many permits there are, and whether they were set', async () => {
      const semaphore = await open();
      const refused = async (): Promise<unknown> => semaphore.acquire(2, { wait: 0 }).catch((error: unknown) => error);
      const unset = await refused();
      expect(unset).toBeInstanceOf(LockConflictError);
      expect(unset).toMatchObject({ lockName: 's', details: { available: 0, isSet: false } });
      expect(String(unset)).toContain('Semaphore "s" is without permits, because their number was never set');
      await semaphore.trySetPermits(1);
      const few = await refused();
      expect(few).toMatchObject({ code: 'LOCK_CONFLICT', details: { available: 1, isSet: true } });
      expect(String(few)).toContain('Semaphore "s" is left with 1 permits');
    });

    it('releases permits after work that succeeds or fails, and returns its result or error', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(3);
      const seen = await semaphore.withPermits(2, () => semaphore.availablePermits());
      expect(seen).toBe(1);
      const failure = new Error('no');
      const failing = semaphore.withPermits(2, { wait: 0 }, () => Promise.reject(failure));
      await expect(failing).rejects.toBe(failure);
      await expect(semaphore.availablePermits()).resolves.toBe(3);
    });

    it('does not come back by the permits of work during which it was deleted', async () => {
      const semaphore = await open();
      await semaphore.trySetPermits(3);
      await expect(semaphore.withPermits(2, () => semaphore.delete())).resolves.toBe(true);
      await leavesNothingBut();
    });

    it('does not touch a key of another type', async () => {
      const { locks } = await world.open();
      await world.probe.put('s', 'somebody', 60_000);
      const semaphore = locks.getSemaphore('s');
      for (const call of [
        () => semaphore.trySetPermits(1),
        () => semaphore.acquire(1, { wait: '1s' }),
        () => semaphore.tryAcquire(),
        () => semaphore.release(),
        () => semaphore.releaseIfExists(),
        () => semaphore.drainPermits(),
        () => semaphore.addPermits(1),
        () => semaphore.availablePermits(),
        () => semaphore.delete(),
      ]) {
        await expect(call()).rejects.toThrow(LockKeyTypeError);
      }
      await expect(world.probe.state('s')).resolves.toMatchObject({ owners: { somebody: 1 } });
      await expect(world.probe.names()).resolves.toEqual(['s']);
    });
  });
});
