import { LockNameError, LockOptionsError, type RedisLockOptions } from '../../lib/standalone.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { onEveryBackend } from '../kit/every-backend.js';

/** A value that a caller without a compiler may pass. */
const anything = (value: unknown): never => value as never;

/** Rows NV of the behaviour catalogue. */
onEveryBackend((world) => {
  describe('A name', () => {
    const nasty = '\0😀漢字\b\r\n\\';

    it('NV-01 may have any characters if control characters are allowed, and is returned unchanged', async () => {
      const { locks } = await world.open({ allowControlCharacters: true });
      const lock = locks.getLock(nasty);
      expect(lock.name).toBe(nasty);
      await locks.withLock(nasty, async (hold) => {
        expect(hold.name).toBe(nasty);
        await expect(world.probe.names()).resolves.toEqual([nasty]);
        await expect(lock.isLocked()).resolves.toBe(true);
      });
      await expect(lock.isLocked()).resolves.toBe(false);
    });

    it('NV-01 is refused with control characters if the module does not allow them', async () => {
      const { locks } = await world.open();
      expect(() => locks.getLock(nasty)).toThrow(LockNameError);
      await expect(locks.acquire(nasty)).rejects.toThrow(LockNameError);
    });

    it.each([
      ['order', 'Order'],
      [`${'x'.repeat(999)}k`, `${'x'.repeat(999)}K`],
    ])('NV-02 is another name when it differs in case only (%#)', async (lower, upper) => {
      const { locks } = await world.open({ maxNameBytes: 1000 });
      await locks.acquire(lower);
      await expect(locks.tryAcquire(lower)).resolves.toBeNull();
      await expect(locks.tryAcquire(upper)).resolves.not.toBeNull();
    });

    it.each(['x'.repeat(1000), '\\'.repeat(1000)])('NV-03 may be long if the module allows it (%#)', async (name) => {
      const { locks } = await world.open({ maxNameBytes: 1000 });
      await expect(locks.withLock(name, () => world.probe.names())).resolves.toEqual([name]);
      await expect(world.probe.names()).resolves.toEqual([]);
      expect(() => locks.getLock(`${name}x`)).toThrow(LockNameError);
    });

    it.each(['', undefined, null, 7, ['n'], {}])('NV-04 is refused when it is %p', async (name) => {
      const { locks } = await world.open();
      expect(() => locks.getLock(anything(name))).toThrow(LockNameError);
      await expect(locks.acquire(anything(name))).rejects.toThrow(LockNameError);
      await expect(locks.tryAcquire(anything(name))).rejects.toThrow(LockNameError);
      await expect(locks.withLock(anything(name), () => 'never')).rejects.toThrow(LockNameError);
    });

    it('NV-03 has to fit with its prefix, which alone is none', async () => {
      const { locks } = await world.open({ keyPrefix: 'shop:', maxNameBytes: 20 });
      const longest = 'x'.repeat(15);
      expect(locks.getLock(longest).name).toBe(`shop:${longest}`);
      for (const name of [`${longest}x`, '']) expect(() => locks.getLock(name)).toThrow(LockNameError);
      expect(() => locks.currentHold('')).toThrow(LockNameError);
    });
  });

  describe('An option', () => {
    it.each([
      { wait: -2000 },
      { wait: -1 },
      { wait: 0.5 },
      { wait: Number.NaN },
      { wait: '1.5s' },
      { lease: 0 },
      { lease: -1 },
      { lease: 1000.5 },
      { lease: Number.NaN },
      { lease: Infinity },
      { lease: '30 s' },
    ])('NV-05 is refused when it is %p, and the lock is not touched', async (options) => {
      const { locks } = await world.open();
      const asked = await world.probe.commands();
      await expect(locks.acquire('n', anything(options))).rejects.toThrow(LockOptionsError);
      await expect(locks.tryAcquire('n', anything(options))).rejects.toThrow(LockOptionsError);
      await expect(locks.withLock('n', anything(options), () => 'never')).rejects.toThrow(LockOptionsError);
      await expect(world.probe.commands()).resolves.toBe(asked);
    });

    it('NV-06 is refused when it is a lease of 28 000 years', async () => {
      const { locks } = await world.open();
      const lease = Math.floor(Number.MAX_SAFE_INTEGER / 10);
      await expect(locks.acquire('n', { lease })).rejects.toThrow(LockOptionsError);
      await expect(world.probe.names()).resolves.toEqual([]);
    });
  });

  describe('An owner', () => {
    it('NV-07 has the random identity of its client, and a number of its own', async () => {
      const [first, second] = [await world.open(), await world.open()];
      const holds = [
        await first.locks.acquire('n1'),
        await first.locks.acquire('n2'),
        await second.locks.acquire('n3'),
      ];
      const [one, same, other] = holds.map(({ owner }) => clientOf(owner));
      expect(one).toBe(same);
      expect(one).not.toBe(other);
      expect(new Set(holds.map(({ owner }) => owner)).size).toBe(3);
    });
  });
});

/** The part of an owner id that all owners of a client share. */
const clientOf = (owner: string): string => {
  const [, client] = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}):\d+$/.exec(owner) ?? [];
  if (client === undefined) throw new Error(`${owner} is not spelled like an owner id`);
  return client;
};

describe('A connection', () => {
  it.each([null, '', [], 7, 'localhost:6379', () => {}])('NV-04 is refused when it is %p', (connection) => {
    const options: RedisLockOptions = { connection: anything(connection) };
    expect(() => parseModuleOptions(options)).toThrow(LockOptionsError);
  });
});
