import type { LockTransitions } from '../../lib/backend/lock-transitions.js';
import { lockChannel } from '../../lib/keys/names.js';
import { inWorld, onEveryBackend, type Probe } from './backends.js';
import { MemoryWorld } from './memory-world.js';
import { Recorder } from './recorder.js';
import { RedisWorld } from './redis-world.js';
import { A1, B7, type ExpectedKey, type Operation, type Range, type Vector, vectors } from './vectors.js';

const wordFor = { held: 'acquired', lost: 'lost', released: 'final', 'not-held': 'notOwner' };

/**
 * Carries an operation out by the backend's transitions, and gives the outcome in the words of the vectors. Redisson
 * acquires once more and releases once; we say how often an owner is to hold, so re-entry and partial release are one.
 */
const perform = async (lock: LockTransitions, operation: Operation, probe: Probe): Promise<unknown> => {
  const countOf = async (name: string, owner: string) => (await probe.state(name)).owners[owner] ?? 0;
  if ('acquire' in operation) {
    const { name, owner, lease } = operation.acquire;
    const count = await countOf(name, owner);
    if (count > 0) return wordFor[(await lock.hold({ name, owner, lease, count: count + 1 })).outcome];
    const reply = await lock.acquire({ name, owner, lease });
    return reply.outcome === 'busy' ? reply.remaining : reply.outcome;
  }
  if ('release' in operation) {
    const { name, owner } = operation.release;
    const count = await countOf(name, owner);
    if (count <= 1) return wordFor[await lock.release({ name, owner, lease: 30_000 })];
    const { outcome } = await lock.hold({ name, owner, count: count - 1, lease: 30_000 });
    return outcome === 'held' ? 'partial' : outcome;
  }
  if ('forceRelease' in operation) return lock.forceRelease(operation.forceRelease.name);
  const { items, timeout } = operation.renew;
  return (await lock.renew(items.map(([name, owner]) => ({ name, owner, lease: timeout })))).held.map(Number);
};

const inRange = (range: Range): unknown => ({
  asymmetricMatch: (value: unknown) => typeof value === 'number' && value >= range[0] && value <= range[1],
  toAsymmetricMatcher: () => `${range[0]}..${range[1]}`,
});

const isRange = (returns: Vector['returns']): returns is Range => Array.isArray(returns) && Number(returns[0]) > 1;

const expectReturned = (returned: unknown, { returns }: Vector): void =>
  expect(returned).toEqual(isRange(returns) ? inRange(returns) : returns);

const withTtlRanges = (keys: Vector['state']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(keys).map(([name, key]) => [
      name,
      { ...key, ttl: inRange(key.ttl === 'none' ? [-1, -1] : key.ttl) },
    ]),
  );

const redis = new RedisWorld();

inWorld(redis, () => {
  /** All keys, as the server has them. */
  const dump = async (): Promise<Record<string, unknown>> => {
    const { admin } = redis;
    const entries = (await admin.keys('*')).map(async (name) => {
      const type = await admin.type(name);
      const value = type === 'hash' ? await admin.hgetall(name) : await admin.get(name);
      return [name, { type, value: typeof value === 'object' ? { ...value } : value, ttl: await admin.pttl(name) }];
    });
    return Object.fromEntries(await Promise.all(entries));
  };

  describe('The conformance vectors of a lock', () => {
    it.each(vectors)('$id $title', async (vector) => {
      for (const command of vector.setup) {
        const [name = '', ...args] = command.split(' ');
        await redis.admin.call(name, ...args);
      }
      const { runtime } = await redis.open();
      const recorder = await Recorder.listenTo(redis.server.url);
      redis.onReset(async () => recorder.close());
      expectReturned(await perform(runtime.backend.lock, vector.operation, redis.probe), vector);
      expect(await dump()).toEqual(withTtlRanges(vector.state));
      expect(await recorder.messages()).toEqual(vector.messages);
    });
  });
});

const memory = new MemoryWorld();

inWorld(memory, () => {
  /** `HSET name owner count` and `PEXPIRE name ttl`, which is all that vectors in memory are set up with. */
  const setUp = async (commands: readonly string[]): Promise<void> => {
    const words = commands.map((command) => command.split(' '));
    for (const [, name = '', owner = '', count] of words.filter(([command]) => command === 'HSET')) {
      const expiry = words.find(([command, of]) => command === 'PEXPIRE' && of === name);
      await memory.probe.put(name, owner, Number(expiry?.[2]), Number(count));
    }
  };

  const dump = async (): Promise<Record<string, unknown>> => {
    const entries = (await memory.probe.names()).map(async (name) => {
      const { type, owners, ttl } = await memory.probe.state(name);
      const value = Object.fromEntries(Object.entries(owners).map(([owner, count]) => [owner, String(count)]));
      return [name, { type, value, ttl } satisfies Record<keyof ExpectedKey, unknown>];
    });
    return Object.fromEntries(await Promise.all(entries));
  };

  /** Messages carry no payload in memory. */
  const listen = async (vector: Vector): Promise<string[]> => {
    const { wakeUps } = (await memory.open()).runtime.backend;
    const heard: string[] = [];
    const channels = new Set(['lk', 'l1', 'l2', 'l3', 'a{b}c'].map(lockChannel));
    for (const [channel] of vector.messages) channels.add(channel);
    for (const channel of channels) await wakeUps.subscribe(channel, () => void heard.push(channel));
    return heard;
  };

  describe('The conformance vectors of a lock', () => {
    it.each(vectors.filter(({ notInMemory }) => notInMemory === undefined))('$id $title', async (vector) => {
      await setUp(vector.setup);
      const heard = await listen(vector);
      const { runtime } = await memory.open();
      expectReturned(await perform(runtime.backend.lock, vector.operation, memory.probe), vector);
      expect(await dump()).toEqual(withTtlRanges(vector.state));
      await memory.clock.advance(0);
      expect(heard).toEqual(vector.messages.map(([channel]) => channel));
    });
  });
});

/** What we have in place of Redisson's unlock latch: a transition says what is to be, so it may be executed twice. */
onEveryBackend((world) => {
  describe('A transition that is executed twice', () => {
    it('L10 counts a repeated acquisition once', async () => {
      const { lock } = (await world.open()).runtime.backend;
      for (let time = 1; time <= 2; time++) {
        const reply = await lock.acquire({ name: 'lk', owner: A1, lease: 30_000 });
        expect(reply.outcome).toBe('acquired');
        await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [A1]: 1 } });
      }
    });

    it('L10 counts a repeated re-entry or partial release once', async () => {
      const { lock } = (await world.open()).runtime.backend;
      await world.probe.put('lk', A1, 5000);
      for (const count of [2, 2, 3, 3, 1, 1]) {
        const reply = await lock.hold({ name: 'lk', owner: A1, count, lease: 30_000 });
        expect(reply.outcome).toBe('held');
        await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [A1]: count } });
      }
    });

    it('L10 never brings back what its owner has lost', async () => {
      const { lock } = (await world.open()).runtime.backend;
      const hold = { name: 'lk', owner: A1, count: 2, lease: 30_000 };
      await expect(lock.hold(hold)).resolves.toEqual({ outcome: 'lost' });
      await world.probe.put('lk', B7, 5000);
      await expect(lock.hold(hold)).resolves.toEqual({ outcome: 'lost' });
      await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [B7]: 1 } });
    });

    it('L10 does not take the lock from the one who got it after the first final release', async () => {
      const { lock } = (await world.open()).runtime.backend;
      await world.probe.put('lk', A1, 30_000);
      const last = { name: 'lk', owner: A1, lease: 30_000 };
      await expect(lock.release(last)).resolves.toBe('released');
      await lock.acquire({ name: 'lk', owner: B7, lease: 30_000 });
      await expect(lock.release(last)).resolves.toBe('not-held');
      await expect(world.probe.state('lk')).resolves.toMatchObject({ owners: { [B7]: 1 } });
    });
  });
});
