import { LockLostError, LockUnavailableError } from '../../lib/standalone.js';
import { executions } from '../faults/observe.js';
import { scriptExecutions } from '../servers/redis/script-executions.js';
import { onMasters } from '../kit/redlock-world.js';

/** Rows RD of the behaviour catalogue on five masters, some of them cut off, hanging, crashed or restarted. */
onMasters(5, (world) => {
  const { time } = world;
  const FOREIGN = 'somebody:1';
  /** So long that a single wait for a node that does not answer shows, ms. */
  const NODE_TIMEOUT = 2000;

  const cutOff = (...places: number[]): void => {
    for (const { proxy } of world.at(...places)) proxy.blackhole();
  };

  const heal = (): void => {
    for (const { proxy } of world.masters) proxy.heal();
  };

  /** The number of masters that hold the lock for this owner. */
  const votes = async (owner: string): Promise<number> =>
    (await world.holders('n')).filter((holder) => holder === owner).length;

  describe('A minority of the masters', () => {
    it.each([
      ['hangs', (): void => world.at(4).forEach(({ server }) => server.pause())],
      ['is cut off', (): void => cutOff(3, 4)],
    ])('RD-05 costs no time when it %s', async (_, fail) => {
      const { locks } = await world.open({ redLock: { nodeTimeout: NODE_TIMEOUT } });
      fail();
      const start = time.now();
      const hold = await locks.getRedLock('n').acquire({ wait: '1s', lease: '30s' });
      await hold.extend('40s');
      await locks.getRedLock('n').isLocked();
      await expect(hold.release()).resolves.toBe('released');
      expect(time.now() - start).toBeLessThan(NODE_TIMEOUT);
    });

    it('that is slow ends without the lock if that was released before it answered', async () => {
      const { locks } = await world.open();
      for (const { proxy } of world.at(4)) proxy.delay(60);
      for (let round = 0; round < 3; round += 1) {
        const hold = await locks.getRedLock('n').acquire({ lease: '30s' });
        await expect(hold.release()).resolves.toBe('released');
      }
      await time.pass(200);
      await world.free('n', 1000);
    });

    it('that answers too late is undone, and has the lock again when that is over', async () => {
      const { locks } = await world.open({ renewedLease: 2000 });
      const votesOfSlow = async (): Promise<number> =>
        (await Promise.all(world.at(4).map(({ admin }) => executions(admin, 'hset')))).reduce((sum, n) => sum + n);
      const before = await votesOfSlow();
      // Far beyond the time-out of a node: a reply in time would count, however late a stalled process reads it.
      for (const { proxy } of world.at(4)) proxy.delay(1000, 'reply');
      const hold = await locks.getRedLock('n').acquire();
      // Its vote may be gone again before it is looked at.
      await time.until(async () => (await votesOfSlow()) > before, 5000);
      await time.until(async () => (await votes(hold.owner)) === 4, 5000);
      for (const { proxy } of world.at(4)) proxy.heal();
      await time.until(async () => (await votes(hold.owner)) === 5, 8000);
      expect(hold.signal.aborted).toBe(false);
      await hold.release();
      await world.free('n', 500);
    });

    it('RD-15 may be cut off after the lock was acquired, or before', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      const before = await lock.acquire({ lease: '10s' });
      await time.until(async () => (await votes(before.owner)) === 5, 500);
      cutOff(1, 3);
      await before.extend('20s');
      await expect(lock.isLocked()).resolves.toBe(true);
      await expect(before.release()).resolves.toBe('released');
      const after = await lock.acquire({ lease: '20s' });
      await expect(lock.isLocked()).resolves.toBe(true);
      await after.extend('30s');
      heal();
      await expect(lock.tryAcquire()).resolves.toBeNull();
      await expect(after.release()).resolves.toBe('released');
      await world.free('n', 3000);
    });

    it('RD-17 that restarted empty leaves the lock held; a majority does not', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      const hold = await lock.acquire({ lease: '60s' });
      await time.until(async () => (await votes(hold.owner)) === 5, 500);
      for (const { server } of world.at(0, 1)) await server.restart();
      await expect(lock.isLocked()).resolves.toBe(true);
      for (const { server } of world.at(2)) await server.restart();
      // Too few masters can answer until the client has connected again.
      const isLocked = (): Promise<boolean> => lock.isLocked().catch(() => true);
      await time.until(async () => !(await isLocked()), 3000);
    });

    it('RD-24 that answers a release with an error does not fail it; a majority does, with its errors', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      /** Releases a hold, with errors from these masters. */
      const releaseWithErrorsOf = async (...places: number[]): Promise<unknown> => {
        const hold = await lock.acquire({ lease: 400 });
        await time.until(async () => (await votes(hold.owner)) === 5, 500);
        const allowRelease = (allowed: boolean): Promise<unknown> =>
          Promise.all(
            world
              .at(...places)
              .map(({ admin }) => admin.call('ACL', 'SETUSER', 'default', allowed ? '+hdel' : '-hdel')),
          );
        await allowRelease(false);
        const outcome = await hold.release().catch((error: unknown) => error);
        await allowRelease(true);
        await world.free('n', 400 + time.slack);
        return outcome;
      };
      await expect(releaseWithErrorsOf(0, 1)).resolves.toBe('released');
      const error = await releaseWithErrorsOf(0, 1, 2);
      expect(error).toBeInstanceOf(LockUnavailableError);
      const failed = { outcome: 'failed', error: expect.any(LockUnavailableError) as unknown };
      expect(error).toMatchObject({
        details: { nodes: [failed, failed, failed, { outcome: 'released' }, { outcome: 'released' }] },
      });
      // The first text is that of Redis, the second that of Valkey.
      expect(String(error)).toMatch(/can't run this command|has no permissions to run/);
    });
  });

  describe('A majority of the masters', () => {
    it('RD-13 that is not available leaves nothing on the others', async () => {
      const { locks } = await world.open();
      await Promise.all(world.at(0, 1, 2).map((master) => master.put('n', FOREIGN, 60_000)));
      await expect(locks.getRedLock('n').tryAcquire()).resolves.toBeNull();
      const nothing = [FOREIGN, FOREIGN, FOREIGN, undefined, undefined].join();
      await time.until(async () => (await world.holders('n')).join() === nothing, 500);
    });

    it('RD-13 that is down leaves nothing on those that are up', async () => {
      const { locks } = await world.open();
      await Promise.all(world.at(0, 1, 2).map(({ server }) => server.kill9()));
      await expect(locks.getRedLock('n').tryAcquire()).rejects.toThrow(LockUnavailableError);
      const held = (): Promise<number[]> => Promise.all(world.at(3, 4).map(({ admin }) => admin.exists('n')));
      await expect(held()).resolves.toEqual([0, 0]);
    });

    it('RD-16 that is cut off makes it unavailable until it is back', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      cutOff(0, 1, 2);
      await expect(lock.tryAcquire({ wait: 300 })).rejects.toThrow(LockUnavailableError);
      await expect(lock.isLocked()).rejects.toThrow(LockUnavailableError);
      heal();
      const hold = await lock.acquire({ wait: '10s' });
      await time.until(async () => (await votes(hold.owner)) >= 3, 1000);
      await hold.release();
    });

    it('RD-20 that is no longer reachable aborts the signal before the lease ends', async () => {
      const { locks } = await world.open({ renewedLease: 900 });
      const hold = await locks.getRedLock('n').acquire();
      cutOff(0, 1, 2);
      // The last renewal before that may have been a third of the time-out ago.
      await time.until(() => hold.signal.aborted, 900);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    });
  });

  describe('The quorum', () => {
    it('RD-14 may be larger than a majority', async () => {
      const { locks } = await world.open({ redLock: { quorum: 4 } });
      const hold = await locks.getRedLock('n').acquire({ lease: '10s' });
      expect(await votes(hold.owner)).toBeGreaterThanOrEqual(4);
      await hold.release();
    });

    it('RD-14 may be all nodes: then one that is down makes the lock unavailable', async () => {
      const { locks } = await world.open({ redLock: { quorum: 5 } });
      const hold = await locks.getRedLock('n').acquire({ lease: '10s' });
      await expect(votes(hold.owner)).resolves.toBe(5);
      await hold.release();
      await Promise.all(world.at(2).map(({ server }) => server.kill9()));
      await expect(locks.getRedLock('n').tryAcquire({ wait: 200 })).rejects.toThrow(LockUnavailableError);
    });
  });

  describe('A forced release', () => {
    it('D17: that arrives after its caller has given up leaves the next holder alone', async () => {
      const { locks } = await world.open();
      const other = (await world.openFar(() => 0)).locks;
      // This call loads the script on the servers.
      await locks.getRedLock('n').forceRelease();
      const first = await other.getRedLock('n').acquire({ lease: '60s' });
      for (const { proxy } of world.masters) proxy.hold('request');
      await expect(locks.getRedLock('n').forceRelease()).rejects.toMatchObject({ outcome: 'unknown' });
      await first.release();
      const second = await other.getRedLock('n').acquire({ lease: '60s' });
      await time.until(async () => (await votes(second.owner)) === 5, 2000);
      const asked = (): Promise<number[]> => Promise.all(world.masters.map(({ admin }) => scriptExecutions(admin)));
      const before = await asked();
      heal();
      await time.until(async () => (await asked()).every((count, index) => count > (before[index] ?? 0)), 2000);
      await expect(votes(second.owner)).resolves.toBe(5);
      await expect(second.release()).resolves.toBe('released');
    });
  });

  describe('A lease', () => {
    it('RD-18 that ends during a partition is over everywhere, and the next has another owner', async () => {
      const { locks } = await world.open();
      const lock = locks.getRedLock('n');
      const first = await lock.acquire({ lease: 600 });
      cutOff(0, 4);
      await time.pass(800);
      heal();
      await expect(world.holders('n')).resolves.toEqual(Array(5).fill(undefined));
      await expect(lock.isLocked()).resolves.toBe(false);
      expect((await lock.acquire({ lease: '10s' })).owner).not.toBe(first.owner);
    });
  });
});
