import { LockOptionsError, LockKeyTypeError } from '../../lib/standalone.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';

const UNKNOWN = '00000000000000000000000000000001';

/** Input that a permit-expirable semaphore refuses. */
onEveryBackend((world) => {
  const open = async (permits?: number) => {
    const semaphore = (await world.open()).locks.getPermitExpirableSemaphore('p');
    if (permits !== undefined) await semaphore.trySetPermits(permits);
    return semaphore;
  };

  const keys = async (): Promise<string[]> =>
    (await world.probe.names()).filter((name) => !name.startsWith('redisson_unlock_latch:')).toSorted();

  describe('A semaphore whose permits have ids and leases', () => {
    it('PS-23 refuses empty lists and values that are no permits, without a command', async () => {
      const semaphore = await open(1);
      const { id } = await semaphore.acquire();
      const asked = await world.probe.commands();
      const none = [
        [],
        '',
        'p',
        UNKNOWN.slice(1),
        id.toUpperCase().replaceAll(/\d/g, 'A'),
        `${id} `,
        null,
        7,
        [id, id],
        [id, 'x'],
        // A list with a hole.
        Object.assign([id], { 2: UNKNOWN }),
      ];
      for (const wrong of [...none, undefined, Array.from({ length: 10_001 }, () => id)]) {
        const given = wrong as string;
        await expect(semaphore.release(given)).rejects.toThrow(LockOptionsError);
        await expect(semaphore.tryRelease(given)).rejects.toThrow(LockOptionsError);
      }
      for (const wrong of [...none, [id]]) {
        await expect(semaphore.updateLeaseTime(wrong as string, 1000)).rejects.toThrow(LockOptionsError);
        await expect(semaphore.leaseTime(wrong as string)).rejects.toThrow(LockOptionsError);
      }
      await expect(semaphore.release('no-permit')).rejects.toThrow('"no-permit"');
      await expect(world.probe.commands()).resolves.toBe(asked);
      await expect(semaphore.tryRelease(id)).resolves.toBe(true);
    });

    it('refuses invalid numbers and options without a command', async () => {
      const semaphore = await open(1);
      await semaphore.availablePermits();
      const asked = await world.probe.commands();
      for (const wrong of [0, -1, 1.5, Number.NaN, Infinity, 10_001, '1', null, 2n]) {
        await expect(semaphore.acquireMany(wrong as number)).rejects.toThrow(LockOptionsError);
        await expect(semaphore.tryAcquireMany(wrong as number)).rejects.toThrow(LockOptionsError);
      }
      for (const wrong of [-1, 1.5, Number.NaN, 2 ** 31, '1', null, undefined]) {
        await expect(semaphore.trySetPermits(wrong as number)).rejects.toThrow(LockOptionsError);
        await expect(semaphore.setPermits(wrong as number)).rejects.toThrow(LockOptionsError);
      }
      for (const wrong of [1.5, Number.NaN, 2 ** 31, -(2 ** 31), '1', undefined]) {
        await expect(semaphore.addPermits(wrong as number)).rejects.toThrow(LockOptionsError);
      }
      for (const lease of [0, 9, -1, 1.5, 2 ** 31, Infinity, 'soon']) {
        await expect(semaphore.acquire({ lease: lease as number })).rejects.toThrow(LockOptionsError);
        await expect(semaphore.updateLeaseTime(UNKNOWN, lease as number)).rejects.toThrow(LockOptionsError);
      }
      for (const options of [{ wait: -1 }, { signal: 'no' }, { fair: true }, 'x', null]) {
        await expect(semaphore.acquire(options as object)).rejects.toThrow(LockOptionsError);
        await expect(semaphore.tryAcquire(options as object)).rejects.toThrow(LockOptionsError);
      }
      await expect(semaphore.withPermit(undefined as never)).rejects.toThrow('withPermit needs a function');
      await expect(world.probe.commands()).resolves.toBe(asked);
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it('refuses more permits than it can count, and changes nothing', async () => {
      const most = 2 ** 31 - 1;
      const semaphore = await open(most);
      await expect(semaphore.addPermits(1)).rejects.toMatchObject({ details: { available: most, permits: 1 } });
      await expect(semaphore.availablePermits()).resolves.toBe(most);
    });

    it.each(['p', '{p}:timeout'])('does not touch a key of another type, under %s', async (name) => {
      const semaphore = await open();
      await world.probe.put(name, 'somebody', 60_000);
      const calls = [
        () => semaphore.setPermits(1),
        () => semaphore.addPermits(1),
        () => semaphore.acquire({ wait: '1s' }),
        () => semaphore.tryAcquireMany(2),
        () => semaphore.release(UNKNOWN),
        () => semaphore.tryRelease([UNKNOWN]),
        () => semaphore.updateLeaseTime(UNKNOWN, 1000),
        () => semaphore.leaseTime(UNKNOWN),
        () => semaphore.availablePermits(),
        () => semaphore.delete(),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toThrow(LockKeyTypeError);
        await expect(call()).rejects.toThrow(`The key "${name}" holds a hash`);
      }
      await expect(world.probe.state(name)).resolves.toMatchObject({ owners: { somebody: 1 } });
      await expect(keys()).resolves.toEqual([name]);
    });
  });
});

const redis = new RedisWorld();

inWorld(redis, () => {
  describe('A semaphore whose permits have ids and leases', () => {
    it.each(['many', '1.5', '', ' 7', '+7', '1e3', '99999999999999999999'])(
      'does not touch a string that is not a number of permits: "%s"',
      async (value) => {
        const semaphore = (await redis.open()).locks.getPermitExpirableSemaphore('p');
        await redis.admin.set('p', value);
        await redis.admin.zadd('{p}:timeout', 1, Buffer.alloc(16));
        for (const call of [
          () => semaphore.tryAcquire(),
          () => semaphore.availablePermits(),
          () => semaphore.tryRelease('0'.repeat(32)),
          () => semaphore.trySetPermits(1),
          () => semaphore.setPermits(1),
          () => semaphore.addPermits(1),
          () => semaphore.updateLeaseTime('0'.repeat(32), 100),
          () => semaphore.delete(),
        ]) {
          await expect(call()).rejects.toMatchObject({ code: 'LOCK_KEY_TYPE' });
        }
        await expect(redis.admin.get('p')).resolves.toBe(value);
        await expect(redis.admin.zcard('{p}:timeout')).resolves.toBe(1);
      },
    );
  });
});
