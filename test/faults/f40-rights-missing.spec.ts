import type { LockService } from '../../lib/index.js';
import { settled } from './observe.js';
import { SLOW, useServerFixture } from './server-fixture.js';

/** A client must not take a refusal for want of a right for a statement about a key. */
describe('F40: the user lacks the right to a command that scripts need', () => {
  const fixture = useServerFixture();

  const lacking = async (command: string) => {
    await fixture().admin.acl('SETUSER', 'locker', 'reset', 'on', '>secret', '~*', '&*', '+@all', `-${command}`);
    return fixture().open(fixture().server.url.replace('//', '//locker:secret@'), SLOW).locks;
  };

  const refused = { code: 'LOCK_UNAVAILABLE', outcome: 'refused', permanent: true };

  it('GET: semaphores and latches report the refusal, whether they exist or not', async () => {
    const locks = await lacking('get');
    await fixture().admin.set('there', 3);
    for (const name of ['there', 'missing']) {
      const calls: (() => Promise<unknown>)[] = [
        () => locks.getSemaphore(name).tryAcquire(),
        () => locks.getSemaphore(name).acquire(1, { wait: '30s' }),
        () => locks.getSemaphore(name).release(),
        () => locks.getSemaphore(name).trySetPermits(1),
        () => locks.getCountDownLatch(name).countDown(),
        () => locks.getCountDownLatch(name).await(),
      ];
      for (const call of calls) expect((await settled(call)).error).toMatchObject(refused);
    }
    await expect(fixture().admin.keys('*')).resolves.toEqual(['there']);
    await expect(fixture().admin.get('there')).resolves.toBe('3');
  });

  it('GET: a key of another type is still reported as such', async () => {
    const locks = await lacking('get');
    await fixture().admin.hset('hash', 'field', 'value');
    const { error } = await settled(() => locks.getSemaphore('hash').tryAcquire());
    expect(error).toMatchObject({ code: 'LOCK_KEY_TYPE', details: { found: 'hash' } });
  });

  it('HDEL: a release reports the refusal, not a lost lock', async () => {
    const locks = await lacking('hdel');
    const hold = await locks.acquire('lock', { lease: '10s' });
    expect((await settled(() => hold.release())).error).toMatchObject(refused);
    await expect(fixture().admin.hgetall('lock')).resolves.toEqual({ [hold.owner]: '1' });
  });

  it('HGET: an extension reports the refusal, not a lost lock', async () => {
    const locks = await lacking('hget');
    const hold = await locks.acquire('lock', { lease: '10s' });
    expect((await settled(() => hold.extend('20s'))).error).toMatchObject(refused);
    await expect(fixture().admin.hgetall('lock')).resolves.toEqual({ [hold.owner]: '1' });
    expect((await settled(() => locks.getReadWriteLock('rw').readLock().tryAcquire())).error).toMatchObject(refused);
  });

  it('HLEN: an attempt reports the refusal, not a wrong key type', async () => {
    const locks = await lacking('hlen');
    await locks.withLock('other', () => {});
    await fixture().admin.hset('lock', 'somebody:1', 1);
    expect((await settled(() => locks.tryAcquire('lock'))).error).toMatchObject(refused);
  });

  it.each<readonly [string, (locks: LockService, name: string) => Promise<unknown>]>([
    ['plain', (locks, name) => locks.acquire(name)],
    ['fenced', (locks, name) => locks.acquire(name, { fenced: true })],
    ['fair', (locks, name) => locks.acquire(name, { fair: true })],
    ['read', (locks, name) => locks.acquire(name, { mode: 'read' })],
    ['write', (locks, name) => locks.acquire(name, { mode: 'write' })],
    ['limit', (locks, name) => locks.acquire(name, { limit: 2 })],
  ])('PEXPIRE: an acquisition leaves nothing without a time to live (%s)', async (_, acquire) => {
    const locks = await lacking('pexpire');
    expect((await settled(() => acquire(locks, 'n'))).error).toMatchObject(refused);
    // The last token of a fenced lock is kept for good, as Redisson's is.
    const left = (await fixture().admin.keys('*')).filter((key) => !key.includes('token'));
    for (const key of left) expect(await fixture().admin.pttl(key)).toBeGreaterThan(0);
    await expect(fixture().admin.exists('n')).resolves.toBe(0);
  });

  it('PEXPIRE: a reader that is refused leaves the lock to those who read', async () => {
    const { locks: others } = fixture().open(fixture().server.url, SLOW);
    const reading = await others.acquire('rw', { mode: 'read', lease: '30s' });
    const locks = await lacking('pexpire');
    const before = await fixture().admin.hgetall('rw');
    expect((await settled(() => locks.acquire('rw', { mode: 'read' }))).error).toMatchObject(refused);
    await expect(fixture().admin.hgetall('rw')).resolves.toEqual(before);
    await expect(reading.release()).resolves.toBe('released');
  });

  it('PEXPIRE: permits with a limited time are set with it', async () => {
    const locks = await lacking('pexpire');
    await expect(locks.getSemaphore('ending').trySetPermits(3, { ttl: '10s' })).resolves.toBe(true);
    expect(await fixture().admin.pttl('ending')).toBeGreaterThan(0);
  });
});
