import type { Hold } from '../../lib/index.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { A1, B7 } from './vectors/vector.js';

const CHANNEL = 'redisson_rwlock:{rw}';
const timeoutKey = (owner: string, n = 1): string => `{rw}:${owner}:rwlock_timeout:${n}`;

const redis = new RedisWorld();

/** What Redisson sees of a hold that has changed halves, and what a peer's data does to that. */
inWorld(redis, ({ time }) => {
  const open = async () => {
    const { locks, runtime } = await redis.open();
    const lock = locks.getReadWriteLock('rw');
    return { backend: runtime.backend, read: lock.readLock(), write: lock.writeLock() };
  };
  const written = (hold: Hold | null): Hold => {
    if (!hold) throw new Error('Others read');
    return hold;
  };
  const hash = () => redis.admin.hgetall('rw');
  /** Each key with its time to live. */
  const ttls = async () => {
    const names = await redis.probe.names();
    return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await redis.admin.pttl(name)])));
  };
  const within = (low: number, high: number): unknown => ({
    asymmetricMatch: (ttl: number) => ttl > low && ttl <= high,
    toString: () => `${low} … ${high}`,
  });
  /** A reader of a peer. Its time-out key is missing if it is dead. */
  const peerReads = async (owner: string, ttl: number, count = 1): Promise<void> => {
    await redis.admin.hset('rw', 'mode', 'read', owner, count);
    await redis.admin.pexpire('rw', 60_000);
    if (ttl > 0) await redis.admin.set(timeoutKey(owner, count), '1', 'PX', ttl);
  };
  const messages = async () => {
    const heard: string[] = [];
    const listener = redis.admin.duplicate();
    await listener.subscribe(CHANNEL);
    listener.on('message', (_, message: string) => heard.push(message));
    return { heard, stop: () => listener.quit() };
  };

  describe('What a peer sees', () => {
    it('of an upgrade: a writer, whose lock has its lease, and no reader; only that the lease is shorter is told', async () => {
      const { read } = await open();
      const { heard, stop } = await messages();
      const reading = await read.acquire({ lease: '40s' });
      const { owner } = written(await reading.tryUpgrade({ lease: '20s' }));
      await expect(hash()).resolves.toEqual({ mode: 'write', [`${owner}:write`]: '1' });
      await expect(ttls()).resolves.toEqual({ rw: within(10_000, 20_000) });
      await redis.admin.ping();
      await stop();
      // Redisson ignores a number above 1.
      expect(heard).toEqual(['20000']);
    });

    it('of a downgrade: a reader with its time-out key, and the message of a writer that has left', async () => {
      const { write } = await open();
      const { heard, stop } = await messages();
      const writing = await write.acquire({ lease: '40s' });
      const { owner } = await writing.downgrade({ lease: '20s' });
      await expect(hash()).resolves.toEqual({ mode: 'read', [owner]: '1' });
      const lease = within(10_000, 20_000);
      await expect(ttls()).resolves.toEqual({ rw: lease, [timeoutKey(owner)]: lease });
      await time.until(() => heard.length > 0, 1000);
      await stop();
      expect(heard).toEqual(['1']);
    });

    it('of a downgrade of a writer that reads as well: both readers', async () => {
      const { read, write } = await open();
      const writing = await write.acquire({ lease: '20s' });
      const inner = await writing.run(() => read.acquire({ lease: '50s' }));
      const { owner } = await writing.downgrade();
      await expect(hash()).resolves.toEqual({ mode: 'read', [inner.owner]: '1', [owner]: '1' });
      await expect(ttls()).resolves.toEqual({
        rw: within(20_001, 50_000),
        [timeoutKey(inner.owner)]: within(20_001, 50_000),
        [timeoutKey(owner)]: within(10_000, 20_000),
      });
    });
  });

  describe('A reader of a peer', () => {
    it('keeps ours from an upgrade as long as one of its time-out keys lives; nothing is changed', async () => {
      const { read, backend } = await open();
      const reading = await read.acquire({ lease: '20s' });
      await peerReads(A1, 10_000, 2);
      await peerReads(B7, 0);
      const before = await hash();
      const request = { name: 'rw', from: reading.owner, to: `${reading.owner}9`, lease: 5000 };
      await expect(backend.conversion.upgrade(request)).resolves.toEqual({ outcome: 'others', readers: 1 });
      await expect(reading.tryUpgrade()).resolves.toBeNull();
      await expect(hash()).resolves.toEqual(before);
      expect(await redis.admin.pttl('rw')).toBeGreaterThan(50_000);
      expect(await redis.admin.pttl(timeoutKey(reading.owner))).toBeGreaterThan(15_000);
    });

    it('that is dead keeps nobody out, and is removed, as a Java reader that is the last to leave does', async () => {
      const { read } = await open();
      const reading = await read.acquire({ lease: '20s' });
      await peerReads(A1, 0, 2);
      await peerReads(B7, 0);
      const { owner } = written(await reading.tryUpgrade());
      await expect(hash()).resolves.toEqual({ mode: 'write', [`${owner}:write`]: '1' });
      expect(await redis.admin.pttl('rw')).toBeLessThanOrEqual(20_000);
    });

    it('may read beside a hold that was downgraded, and leave it behind', async () => {
      const { write, read } = await open();
      const reading = await (await write.acquire({ lease: '20s' })).downgrade();
      await peerReads(A1, 10_000);
      await expect(reading.tryUpgrade()).resolves.toBeNull();
      await redis.admin.multi().hdel('rw', A1).del(timeoutKey(A1)).exec();
      await expect(written(await reading.tryUpgrade()).release()).resolves.toBe('released');
      await expect(read.isLocked()).resolves.toBe(false);
    });
  });

  describe('Fields that an application has put into the hash', () => {
    it('are no readers, and stay', async () => {
      const { read } = await open();
      const reading = await read.acquire({ lease: '20s' });
      await redis.admin.hset('rw', 'theirs', 'yes', [A1, 'x'].join(':'), 'no count');
      const theirs = { theirs: 'yes', [`${A1}:x`]: 'no count' };
      const writing = written(await reading.tryUpgrade());
      await expect(hash()).resolves.toEqual({ mode: 'write', [`${writing.owner}:write`]: '1', ...theirs });
      const again = await writing.downgrade();
      await expect(hash()).resolves.toEqual({ mode: 'read', [again.owner]: '1', ...theirs });
    });
  });

  describe('A request that is executed again, late', () => {
    it.each(['upgrade', 'downgrade'] as const)('has one effect, and shortens nothing: %s', async (way) => {
      const { backend, read, write } = await open();
      const { owner: from } = await (way === 'upgrade' ? read : write).acquire({ lease: '20s' });
      const to = `${from}9`;
      const request = { name: 'rw', from, to, lease: 5000 };
      const half = way === 'upgrade' ? backend.writeLock : backend.readLock;
      await expect(backend.conversion[way](request)).resolves.toMatchObject({ outcome: 'held' });
      await half.hold({ name: 'rw', owner: to, count: 2, lease: 50_000 });
      const [fields, lives] = [await hash(), await ttls()];
      await expect(backend.conversion[way](request)).resolves.toMatchObject({ outcome: 'held' });
      await expect(hash()).resolves.toEqual(fields);
      for (const [name, ttl] of Object.entries(await ttls())) expect(ttl).toBeGreaterThan((lives[name] ?? 0) / 2);
      await half.release({ name: 'rw', owner: to, lease: 0 });
      await expect(backend.conversion[way](request)).resolves.toMatchObject({ outcome: 'lost' });
      await expect(redis.probe.names()).resolves.toEqual([]);
    });

    it('has to be the longer lease, if the first was shorter', async () => {
      const { backend, read } = await open();
      const { owner: from } = await read.acquire({ lease: '20s' });
      const request = { name: 'rw', from, to: `${from}9`, lease: 20_000 };
      await backend.conversion.upgrade(request);
      await backend.conversion.upgrade({ ...request, lease: 60_000 });
      expect(await redis.admin.pttl('rw')).toBeGreaterThan(20_000);
      await backend.conversion.downgrade({ name: 'rw', from: request.to, to: from, lease: 20_000 });
      await backend.conversion.downgrade({ name: 'rw', from: request.to, to: from, lease: 60_000 });
      for (const ttl of Object.values(await ttls())) expect(ttl).toBeGreaterThan(20_000);
    });
  });

  describe('A server that is out of memory', () => {
    it('upgrades and downgrades', async () => {
      const { read } = await open();
      const reading = await read.acquire({ lease: '20s' });
      await redis.admin.config('SET', 'maxmemory', '1');
      try {
        const again = await written(await reading.tryUpgrade()).downgrade();
        await expect(again.release()).resolves.toBe('released');
      } finally {
        await redis.admin.config('SET', 'maxmemory', '0');
      }
    });
  });
});
