import { LockConflictError, LockLostError, LockTimeoutError, LockUnavailableError } from '../../lib/standalone.js';
import { caught } from '../kit/caught.js';
import { onMasters } from '../kit/redlock-world.js';

/** Rows RD of the behaviour catalogue on three masters. */
onMasters(3, (world) => {
  const { time } = world;
  const FOREIGN = 'somebody:1';

  const putForeign = async (...places: number[]): Promise<void> => {
    await Promise.all(world.at(...places).map((master) => master.put('n', FOREIGN, 60_000)));
  };

  describe('A lock on a quorum', () => {
    it('RD-06 is held under one owner everywhere, extended everywhere and released everywhere', async () => {
      const { locks } = await world.open();
      const hold = await locks.getRedLock('n').acquire({ lease: '10s' });
      const isHeldFor = async (ms: number): Promise<boolean> => {
        const [owners, ttls] = [await world.holders('n'), await world.ttls('n')];
        return owners.every((owner) => owner === hold.owner) && ttls.every((ttl) => ttl <= ms && ttl > ms - 8000);
      };
      await time.until(() => isHeldFor(10_000), 500);
      await hold.extend('30s');
      await time.until(() => isHeldFor(30_000), 500);
      await expect(hold.release()).resolves.toBe('released');
      await world.free('n', 500);
    });

    it('RD-07 is refused if others have a majority; its grants are released, and theirs stay', async () => {
      const { locks } = await world.open();
      await putForeign(1, 2);
      await expect(locks.getRedLock('n').tryAcquire()).resolves.toBeNull();
      const isClean = async (): Promise<boolean> => (await world.holders('n')).join() === `,${FOREIGN},${FOREIGN}`;
      await time.until(isClean, 500);
      const error = await caught(locks.getRedLock('n').acquire({ wait: 300 }), LockTimeoutError);
      expect(error.details).toMatchObject({
        holder: FOREIGN,
        nodes: [{}, { outcome: 'busy', holder: FOREIGN }, { outcome: 'busy', holder: FOREIGN }],
      });
      await time.until(isClean, 500);
      await expect(caught(locks.getRedLock('n').acquire({ wait: 0 }), LockConflictError)).resolves.toMatchObject({
        details: { nodes: expect.any(Array) as unknown },
      });
    });

    it('RD-08 is unavailable if no server answers, and the error has the outcome of each', async () => {
      const { locks } = await world.open();
      await Promise.all(world.masters.map(({ server }) => server.kill9()));
      const error = await caught(locks.getRedLock('n').acquire({ wait: 500 }), LockUnavailableError);
      const nodes = world.masters.map(({ proxy }) => ({
        node: `127.0.0.1:${proxy.port}`,
        outcome: 'failed',
        error: expect.any(LockUnavailableError) as unknown,
      }));
      expect(error.details).toEqual({ quorum: 2, nodes });
      expect(error.message).toContain('0 of 3 answered, 2 are needed');
    });

    it('RD-09 ends everywhere with its lease, and the next has another owner', async () => {
      const { locks } = await world.open();
      const first = await locks.getRedLock('n').acquire({ lease: 600 });
      await time.pass(700);
      await expect(world.holders('n')).resolves.toEqual([undefined, undefined, undefined]);
      expect(first.signal.reason).toBeInstanceOf(LockLostError);
      const second = await locks.getRedLock('n').acquire({ lease: '10s' });
      expect(second.owner).not.toBe(first.owner);
    });

    it('RD-10 is renewed by the watchdog as long as the work takes', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      await locks.getRedLock('n').withLock(async (hold) => {
        await world.renewed('n');
        await expect(world.holders('n')).resolves.toEqual([hold.owner, hold.owner, hold.owner]);
        expect(hold.signal.aborted).toBe(false);
      });
      await world.free('n', 500);
    });

    it('RD-10 is renewed from the moment on at which its code asks for that', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const hold = await locks.getRedLock('n').acquire({ lease: '20s' });
      await hold.extend({ renew: true });
      await world.renewed('n');
      expect(hold.state).toBe('held');
      await expect(hold.release()).resolves.toBe('released');
      await world.free('n', 500);
    });

    it('RD-10 is suspended while too few masters answer', async () => {
      const { locks } = await world.open({ renewedLease: 6000 });
      const hold = await locks.getRedLock('n').acquire();
      for (const { proxy } of world.at(0, 1)) proxy.blackhole();
      await time.until(() => hold.state === 'suspended', 6000);
      hold.assertHeld();
      for (const { proxy } of world.at(0, 1)) proxy.heal();
      await time.until(() => hold.state === 'held', 6000);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('RD-11 runs one callback at a time, each under an owner of its own', async () => {
      const clients = [await world.open({ renewedLease: 3000 }), await world.open({ renewedLease: 3000 })];
      const steps: string[] = [];
      const owners = await Promise.all(
        clients.map(({ locks }) =>
          locks.getRedLock('n').withLock(async ({ owner }) => {
            steps.push('in');
            await world.renewed('n');
            steps.push('out');
            return owner;
          }),
        ),
      );
      expect(steps).toEqual(['in', 'out', 'in', 'out']);
      expect(new Set(owners).size).toBe(2);
      await world.free('n', 500);
    });

    it('RD-12 can be extended as long as a majority has it', async () => {
      const { locks } = await world.open();
      const hold = await locks.getRedLock('n').acquire({ lease: '10s' });
      await putForeign(0);
      await hold.extend('20s');
      const [, ...ttls] = await world.ttls('n');
      // Other than before the extension.
      expect(Math.min(...ttls)).toBeGreaterThan(10_000);
      await putForeign(1);
      await expect(hold.extend('40s')).rejects.toThrow(LockLostError);
      await time.until(async () => (await world.holders('n'))[2] === undefined, 1000);
      await expect(world.holders('n')).resolves.toEqual([FOREIGN, FOREIGN, undefined]);
    });

    it('RD-12 is lost if only one of three nodes has it and the others are free', async () => {
      const { locks } = await world.open();
      const hold = await locks.getRedLock('n').acquire({ lease: '10s' });
      await Promise.all(world.at(0, 1).map(({ admin }) => admin.del('n')));
      await expect(hold.extend('20s')).rejects.toThrow(LockLostError);
    });

    it('RD-20 aborts its signal if a quorum no longer has it', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      await locks.getRedLock('n').withLock(async ({ signal }) => {
        await Promise.all(world.at(0, 1).map(({ admin }) => admin.del('n')));
        await time.until(() => signal.aborted, 1000 + time.slack);
        expect(signal.reason).toBeInstanceOf(LockLostError);
        expect(String(signal.reason)).toContain('quorum');
      });
    });

    it('aborts its signal at the next renewal, and not before, if another process ends it by force', async () => {
      const [here, there] = [await world.open({ renewedLease: 6000 }), await world.open()];
      await here.locks.getRedLock('n').withLock(async ({ signal }) => {
        await there.locks.getRedLock('n').forceRelease();
        await time.pass(500);
        expect(signal.aborted).toBe(false);
        await time.until(() => signal.aborted, 2000 + time.slack);
      });
    });

    it('RD-20 does not abort its signal if a minority no longer has it, and repairs that', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      await locks.getRedLock('n').withLock(async ({ signal, owner }) => {
        const isAt = (master: number) => async () => (await world.holders('n'))[master] === owner;
        await Promise.all(world.at(0).map(({ admin }) => admin.del('n')));
        await time.until(isAt(0), 1000 + time.slack);
        // The hold must outlast restarts of the masters, one after the other.
        await Promise.all(world.at(1).map(({ admin }) => admin.del('n')));
        await time.until(isAt(1), 1000 + time.slack);
        expect(signal.aborted).toBe(false);
        await expect(world.holders('n')).resolves.toEqual([owner, owner, owner]);
      });
      await world.free('n', 500);
    });

    it('is repaired on a server that lost it, also where that is always the last to answer', async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      for (const { proxy } of world.at(2)) proxy.delay(10);
      await locks.getRedLock('n').withLock(async ({ owner }) => {
        const isEverywhere = async (): Promise<boolean> =>
          (await world.holders('n')).every((holder) => holder === owner);
        // A master whose vote came too late gets the lock with the next renewal.
        await time.until(isEverywhere, 1000 + time.slack);
        await Promise.all(world.at(2).map(({ admin }) => admin.del('n')));
        expect(await time.until(isEverywhere, 1000 + time.slack)).toBeGreaterThan(0);
      });
      await world.free('n', 500);
    });

    it('RD-22 is unavailable when two of three servers answer with errors', async () => {
      const { locks } = await world.open();
      await Promise.all(world.at(0, 1).map(({ admin }) => admin.config('SET', 'maxmemory', '1')));
      try {
        const error = await caught(locks.getRedLock('n').tryAcquire(), LockUnavailableError);
        expect(error.message).toContain('OOM');
        await world.free('n', 500);
      } finally {
        await Promise.all(world.at(0, 1).map(({ admin }) => admin.config('SET', 'maxmemory', '0')));
      }
    });

    it('RD-23 is refused when granting it took so long that too little of the lease is left', async () => {
      const { locks } = await world.open();
      for (const { proxy } of world.masters) proxy.delay(20);
      await expect(locks.getRedLock('n').tryAcquire({ lease: 60 })).rejects.toThrow(LockUnavailableError);
      for (const { proxy } of world.masters) proxy.heal();
      await world.free('n');
    });

    it('RD-24 is released although one server does not answer', async () => {
      const { locks } = await world.open();
      const hold = await locks.getRedLock('n').acquire({ lease: '10s' });
      for (const { server } of world.at(2)) server.pause();
      await expect(hold.release()).resolves.toBe('released');
      for (const { server } of world.at(2)) server.resume();
      await world.free('n', 5000);
    });

    it('ends its background work within the grace although one server does not answer', async () => {
      const client = await world.open();
      for (const { server } of world.at(2)) server.pause();
      await (await client.locks.getRedLock('n').acquire()).release();
      const start = time.now();
      await client.runtime.close(100);
      // The release without an answer would go on for two time-outs of 200 ms.
      expect(time.now() - start).toBeLessThan(190);
    });

    it('is released on a server that was out of reach and comes back within the grace', async () => {
      const client = await world.open();
      const [last] = world.at(2);
      const hold = await client.locks.getRedLock('n').acquire({ lease: '60s' });
      await time.until(async () => (await world.holders('n')).every((owner) => owner === hold.owner), 500);
      last?.proxy.blackhole();
      await expect(hold.release()).resolves.toBe('released');
      const closed = client.runtime.close(10_000);
      await time.pass(1000);
      last?.proxy.heal();
      await closed;
      await expect(world.holders('n')).resolves.toEqual([undefined, undefined, undefined]);
    });

    it('counts re-entries on every server', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      await lock.withLock(async (outer) => {
        await lock.withLock(async (inner) => {
          expect(inner.owner).toBe(outer.owner);
          await expect(lock.holdCount()).resolves.toBe(2);
        });
        await expect(lock.holdCount()).resolves.toBe(1);
        await expect(lock.isHeldByCurrentScope()).resolves.toBe(true);
        await expect(lock.isLocked()).resolves.toBe(true);
        await expect(lock.remainingLease()).resolves.toBeGreaterThan(0);
      });
      await expect(lock.isLocked()).resolves.toBe(false);
      await expect(lock.remainingLease()).resolves.toBe(-2);
    });

    it('can be taken from its holder by force', async () => {
      const { locks } = await world.open();
      await putForeign(0, 1, 2);
      await expect(locks.getRedLock('n').forceRelease()).resolves.toBe(true);
      await expect(world.holders('n')).resolves.toEqual([undefined, undefined, undefined]);
      await expect(locks.getRedLock('n').forceRelease()).resolves.toBe(false);
    });

    it('is not the plain lock of that name, which lives on one server', async () => {
      const { locks } = await world.open();
      await locks.withLock('n', async () => {
        // One of the three masters is the server of the plain lock, so that lock costs one vote.
        await locks.getRedLock('n').withLock(async ({ owner }) => {
          const [first, ...others] = await world.holders('n');
          expect(first).not.toBe(owner);
          expect(others).toEqual([owner, owner]);
        });
      });
    });
  });
});
