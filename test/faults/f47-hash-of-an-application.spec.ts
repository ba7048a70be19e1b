import { LockKeyTypeError } from '../../lib/errors.js';
import type { Lock, LockService } from '../../lib/index.js';
import { LOCKS } from '../topologies/every-kind.js';
import { settled } from './observe.js';
import { useServerFixture } from './server-fixture.js';

/** The kinds that use one key. A multi-lock is made of them. */
const KINDS = LOCKS.filter(([kind]) => kind !== 'multi');
type Row = readonly [kind: string, lockOf: (locks: LockService, name: string) => Lock];

const HOLDER = '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11:47';

/** Hashes of an application under the name of a lock. */
const HASHES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'fields of data': { customerId: '7', total: '12' },
  'one field': { customerId: '7' },
  'one field whose name is like that of an owner, without a count': { 'opened:2026': 'yes' },
  'one field whose count is no whole number': { 'price:42': '1.5' },
  'a mode and other fields': { mode: 'read', path: '/home', size: '12' },
  'nothing but a mode': { mode: 'write' },
  'a holder and other fields': { [HOLDER]: '1', customerId: '7' },
  'a writer and other fields': { mode: 'write', [`${HOLDER}:write`]: '1', [HOLDER]: '1', customerId: '7' },
};

/** The calls of a lock that ask the server about it. They change nothing if the key is no lock. */
const callsOf = (lock: Lock): readonly (() => Promise<unknown>)[] => [
  () => lock.tryAcquire(),
  () => lock.acquire({ wait: '30s' }),
  () => lock.withLock(() => 'ran'),
  () => lock.forceRelease(),
  () => lock.isLocked(),
  () => lock.remainingLease(),
];

describe('F47: the name is that of a hash of the application', () => {
  const fixture = useServerFixture();

  const connected = async (): Promise<LockService> => {
    const client = fixture().open();
    await client.connected();
    return client.locks;
  };

  describe.each(KINDS)('with the %s lock', (_: Row[0], lockOf: Row[1]) => {
    it.each(Object.entries(HASHES))('D9: is not a lock, and is not touched: %s', async (__, fields) => {
      const { admin } = fixture();
      await admin.hset('f47', fields);
      const lock = lockOf(await connected(), 'f47');
      for (const call of callsOf(lock)) {
        const { error } = await settled(call);
        expect(error).toBeInstanceOf(LockKeyTypeError);
        expect(error).toMatchObject({ lockName: 'f47', details: { found: expect.stringMatching(/^hash (of|that)/) } });
        await expect(admin.hgetall('f47')).resolves.toEqual(fields);
        await expect(admin.pttl('f47')).resolves.toBe(-1);
      }
      // The library leaves no key of its own beside it.
      await expect(admin.keys('*')).resolves.toEqual(['f47']);
    });

    it('D9: data of the application in the hash of a held lock outlives the release', async () => {
      const { admin } = fixture();
      const locks = await connected();
      const hold = await lockOf(locks, 'f47').acquire();
      await admin.hset('f47', { customerId: '7', total: '12' });
      await expect(hold.release()).resolves.toBe('released');
      await expect(admin.hgetall('f47')).resolves.toEqual({ customerId: '7', total: '12' });
      await expect(admin.pttl('f47')).resolves.toBe(-1);
      expect((await settled(() => lockOf(locks, 'f47').tryAcquire())).error).toMatchObject({
        code: 'LOCK_KEY_TYPE',
        details: { found: 'hash that is no lock of this kind' },
      });
    });

    it('D8: the cost of a call does not grow with the hash', async () => {
      const { admin } = fixture();
      const locks = await connected();
      const fields = Array.from({ length: 20_000 }, (__, index) => [`user-${index}`, 'x']);
      for (let at = 0; at < fields.length; at += 10_000)
        await admin.hset('f47', ...fields.slice(at, at + 10_000).flat());
      await admin.config('RESETSTAT');
      for (const call of callsOf(lockOf(locks, 'f47'))) await settled(call);
      const stats = await admin.info('commandstats');
      // Commands that read a whole hash were not called.
      expect(stats).not.toMatch(/^cmdstat_(hkeys|hgetall|hvals):/m);
      expect(stats).toMatch(/^cmdstat_evalsha:/m);
      await expect(admin.hlen('f47')).resolves.toBe(fields.length);
    });
  });

  it('D8: a writer that waits beside many readers names one of them, and does not read all of them', async () => {
    const { admin } = fixture();
    const locks = await connected();
    const write = locks.getReadWriteLock('f47').writeLock();
    const readers = Array.from({ length: 5000 }, (_, index) => [`${HOLDER}${index}`, '1']);
    await admin.hset('f47', 'mode', 'read', ...readers.flat());
    await admin.pexpire('f47', 60_000);
    await admin.config('RESETSTAT');
    const { error } = await settled(() => write.acquire({ wait: 0 }));
    expect(error).toMatchObject({ code: 'LOCK_CONFLICT', details: { holder: expect.stringContaining(HOLDER) } });
    await locks.getReadWriteLock('f47').readLock().acquire({ lease: '60s' });
    expect(await admin.info('commandstats')).not.toMatch(/^cmdstat_(hkeys|hgetall|hvals):/m);
  });

  it.each(['read', 'write'] as const)('a %s lock is told from a lock of one owner, and from data', async (mode) => {
    const locks = await connected();
    const hold = await locks.acquire('f47', { mode, lease: '60s' });
    for (const take of [() => locks.tryAcquire('f47'), () => locks.tryAcquire('f47', { fair: true })]) {
      expect((await settled(take)).error).toMatchObject({
        code: 'LOCK_KEY_TYPE',
        details: { found: 'hash of a read-write lock' },
      });
    }
    await expect(hold.release()).resolves.toBe('released');
    await fixture().admin.hset('f47', { mode: 'dark', total: '12' });
    expect((await settled(() => locks.tryAcquire('f47'))).error).toMatchObject({
      details: { found: 'hash that is no lock of this kind' },
    });
  });

  it('D9: a lock of a Redisson transaction is a lock', async () => {
    const { admin } = fixture();
    const locks = await connected();
    const holder = `${HOLDER}:0123456789abcdef0123456789abcdef`;
    await admin.multi().hset('f47', holder, 1).pexpire('f47', 60_000).exec();
    const { error } = await settled(() => locks.acquire('f47', { wait: 0 }));
    expect(error).toMatchObject({ code: 'LOCK_CONFLICT', details: { holder } });
    const writer = `${HOLDER}:write:0123456789abcdef0123456789abcdef`;
    await admin.multi().hset('f47:rw', 'mode', 'write', writer, 1).pexpire('f47:rw', 60_000).exec();
    const busy = await settled(() => locks.getReadWriteLock('f47:rw').readLock().acquire({ wait: 0 }));
    expect(busy.error).toMatchObject({ code: 'LOCK_CONFLICT', details: { holder } });
  });
});
