import { Redis } from 'ioredis';
import { LockNameError, LockOptionsError, StaleFenceError, LockKeyTypeError } from 'nest-redis-lock';
import { RedisFenceStore, setIfFence } from 'nest-redis-lock/fencing';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { caught, thrownBy } from '../kit/caught.js';
import { RedisWorld } from '../kit/redis-world.js';
import { DISCONNECT_TIMEOUT_MS } from '../servers/redis/admin-connection.js';

/** Above 2^53, where numbers of Lua are no longer exact. */
const FENCE = 2n ** 60n + 1n;

describe('Fences on Redis', () => {
  const world = new RedisWorld();

  beforeAll(() => world.start());
  afterEach(() => world.reset());
  afterAll(() => world.stop());

  const prefixed = (keyPrefix: string): Redis => {
    const client = new Redis(world.server.url, { keyPrefix, disconnectTimeout: DISCONNECT_TIMEOUT_MS });
    world.onReset(async () => client.disconnect());
    return client;
  };

  describe('setIfFence()', () => {
    const set = (text: string, fence: bigint, options = {}) => setIfFence(world.admin, 'report', text, fence, options);

    it('sets a value with a first, the same and a later fence', async () => {
      for (const fence of [FENCE, FENCE, FENCE + 1n]) {
        await set(`by ${fence}`, fence);
        await expect(world.admin.mget('report', '{report}:fence')).resolves.toEqual([`by ${fence}`, String(fence)]);
      }
    });

    it.each([FENCE - 1n, 9n])('refuses the stale fence %p, and changes nothing', async (fence) => {
      await set('late', FENCE);
      const error = await caught(set('stale', fence), StaleFenceError);
      expect(error).toMatchObject({ resource: 'report', fence, lastFence: FENCE });
      await expect(world.admin.mget('report', '{report}:fence')).resolves.toEqual(['late', String(FENCE)]);
    });

    it('keeps the value of the latest fence, in whatever order writers come', async () => {
      const fences = [5n, 11n, 2n, 10n, 9n, 1n, 100n, 12n];
      await Promise.allSettled(fences.map((fence) => set(`by ${fence}`, fence)));
      await expect(world.admin.get('report')).resolves.toBe('by 100');
    });

    it('refuses a stale writer also after the value has ended', async () => {
      await set('short', FENCE, { ttl: 1 });
      while ((await world.admin.exists('report')) === 1) await world.admin.ping();
      await caught(set('stale', FENCE - 1n), StaleFenceError);
      await expect(world.admin.exists('report')).resolves.toBe(0);
    });

    it('gives value and fence the ends that are asked for, and takes them away again', async () => {
      await set('a', FENCE, { ttl: '1m', keepFence: '1h' });
      const [value, fence] = await Promise.all(['report', '{report}:fence'].map((key) => world.admin.pttl(key)));
      expect(value).toBeGreaterThan(30_000);
      expect(value).toBeLessThanOrEqual(60_000);
      expect(fence).toBeGreaterThan(3_000_000);
      await set('b', FENCE);
      await expect(Promise.all(['report', '{report}:fence'].map((key) => world.admin.pttl(key)))).resolves.toEqual([
        -1, -1,
      ]);
    });

    it.each([
      ['report', '', '{report}:fence'],
      ['{may}:report', '', '{may}:report:fence'],
      ['report', 'app:', 'app:{app:report}:fence'],
      ['{may}:report', 'app:', 'app:{may}:report:fence'],
      ['report', '{app}:', '{app}:report:fence'],
    ])('stores the fence of %s, with the key prefix "%s", in the same slot: %s', async (key, prefix, fenceKey) => {
      const client = prefix === '' ? world.admin : prefixed(prefix);
      await setIfFence(client, key, 'text', FENCE);
      await expect(world.admin.mget(prefix + key, fenceKey)).resolves.toEqual(['text', String(FENCE)]);
      expect(hashSlot(fenceKey)).toBe(hashSlot(prefix + key));
    });

    it('works after the server has forgotten the script', async () => {
      await set('a', FENCE);
      await world.admin.script('FLUSH');
      await set('b', FENCE);
      await expect(world.admin.get('report')).resolves.toBe('b');
    });

    it('refuses keys with other data, and changes nothing', async () => {
      await world.admin.hset('report', 'a', '1');
      expect((await caught(set('a', FENCE), LockKeyTypeError)).lockName).toBe('report');
      await expect(world.admin.exists('{report}:fence')).resolves.toBe(0);
      await world.admin.del('report');
      await world.admin.set('{report}:fence', 'no token');
      expect((await caught(set('a', FENCE), LockKeyTypeError)).lockName).toBe('{report}:fence');
      await expect(world.admin.exists('report')).resolves.toBe(0);
    });

    it.each<[unknown[], abstract new (...args: never[]) => Error, string]>([
      [['', 'a', 1n], LockNameError, 'The key ""'],
      [[undefined, 'a', 1n], LockNameError, 'The key undefined'],
      [['a}b', 'a', 1n], LockNameError, 'has a "}"'],
      [['k', 7, 1n], LockOptionsError, 'text must be a string, not 7'],
      [['k', 'a', undefined], LockOptionsError, 'fence must be'],
      [['k', 'a', 7], LockOptionsError, 'fence must be'],
      [['k', 'a', 1n, { ttl: 0 }], LockOptionsError, 'ttl must be'],
      [['k', 'a', 1n, { keepFence: 'soon' }], LockOptionsError, 'keepFence must be'],
      [['k', 'a', 1n, { lease: 1 }], LockOptionsError, 'unknown option "lease" of setIfFence'],
    ])('refuses %p before anything is sent', async (args, kind, text) => {
      const untyped = setIfFence as (...all: unknown[]) => Promise<void>;
      const error = await caught(untyped(world.admin, ...args), kind);
      expect(error.message).toContain(text);
      await expect(world.admin.dbsize()).resolves.toBe(0);
    });
  });

  describe('RedisFenceStore', () => {
    it('records the latest fence of each resource', async () => {
      const store = new RedisFenceStore(world.admin, { keepFence: '1h' });
      await expect(store.advance('ledger', FENCE)).resolves.toBe(FENCE);
      await expect(store.advance('ledger', FENCE - 1n)).resolves.toBe(FENCE);
      await expect(store.advance('ledger', FENCE + 1n)).resolves.toBe(FENCE + 1n);
      await expect(store.advance('other', 1n)).resolves.toBe(1n);
      await expect(world.admin.get('fence:ledger')).resolves.toBe(String(FENCE + 1n));
      expect(await world.admin.pttl('fence:ledger')).toBeGreaterThan(3_000_000);
    });

    it('refuses other data and wrong options', async () => {
      await world.admin.set('fence:ledger', 'text');
      const error = await caught(new RedisFenceStore(world.admin).advance('ledger', 1n), LockKeyTypeError);
      expect(error.lockName).toBe('fence:ledger');
      expect(thrownBy(() => new RedisFenceStore(world.admin, { keepFence: 0 }), LockOptionsError).message).toContain(
        'keepFence',
      );
    });
  });
});
