import { scripts } from '../../lib/backend/scripts/scripts.generated.js';
import { groupField, groupLockName } from '../../lib/keys/group-field.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';

const redis = new RedisWorld();

inWorld(redis, ({ time }) => {
  const field = groupField('v1');
  const peer = '22222222-2222-2222-2222-222222222222:7';

  describe('A group lock beside a peer', () => {
    it('waits for its value, by the expiry that the peer wrote, and takes it over with nothing left of the peer', async () => {
      const { locks } = await redis.open();
      const expiry = Date.now() + 1000;
      await redis.admin.hset(
        'g',
        field,
        peer,
        `${field}:${peer}:expire_time`,
        expiry,
        `${field}:${peer}:lock_count`,
        2,
      );
      await redis.admin.pexpire('g', 20_000);
      const lock = locks.getGroupLock('g', ['v1']);
      await expect(lock.acquire({ wait: 0 })).rejects.toMatchObject({ details: { holder: peer } });
      const hold = await time.finish(lock.acquire({ wait: Infinity }), 1000 + time.slack);
      expect(Date.now()).toBeGreaterThanOrEqual(expiry);
      const fields = await redis.admin.hgetall('g');
      expect(fields).toEqual({
        [field]: hold.owner,
        [`${field}:${hold.owner}:expire_time`]: expect.stringMatching(/^\d+$/),
        [`${field}:${hold.owner}:lock_count`]: '1',
      });
      // Other owners may still hold values of the group, so it keeps its longer time to live.
      expect(await redis.admin.pttl('g')).toBeGreaterThan(15_000);
    });

    it('loses its hold when the peer has taken over one of the values, and leaves that alone', async () => {
      const { locks } = await redis.open({ renewedLease: 900 });
      const hold = await locks.getGroupLock('g', ['v1', 'v2']).acquire();
      await redis.admin.hset('g', field, peer, `${field}:${peer}:expire_time`, Date.now() + 60_000);
      await time.until(() => hold.signal.aborted, 900 + time.slack);
      await expect(hold.release()).resolves.toBe('expired');
      await expect(redis.admin.hget('g', field)).resolves.toBe(peer);
    });

    it('re-enters, is renewed and is released where the server is out of memory', async () => {
      const { locks } = await redis.open({ renewedLease: 3000 });
      const lock = locks.getGroupLock('g', ['v1', 'v2']);
      const hold = await lock.acquire();
      await redis.admin.config('SET', 'maxmemory', '1');
      redis.onReset(() => redis.admin.config('SET', 'maxmemory', '0'));
      const inner = await hold.run(() => lock.acquire());
      await expect(hold.run(() => lock.holdCount())).resolves.toBe(2);
      await redis.renewed('g');
      await expect(inner.release()).resolves.toBe('still-held');
      await expect(hold.release()).resolves.toBe('released');
      await expect(redis.admin.keys('*')).resolves.toEqual([]);
    });

    it('has one effect if a command is executed twice', async () => {
      const { groupLock } = (await redis.open()).runtime.backend;
      const held = { name: groupLockName('g', [field]), owner: peer, lease: 5000 };
      for (const count of [1, 1]) {
        await expect(groupLock.acquire(held)).resolves.toMatchObject({ outcome: 'acquired' });
        await expect(redis.admin.hget('g', `${field}:${peer}:lock_count`)).resolves.toBe(String(count));
      }
      for (const count of [2, 2, 1, 1]) {
        await expect(groupLock.hold({ ...held, count })).resolves.toMatchObject({ outcome: 'held' });
        await expect(redis.admin.hget('g', `${field}:${peer}:lock_count`)).resolves.toBe(String(count));
      }
      await expect(groupLock.release(held)).resolves.toEqual({ outcome: 'released' });
      await expect(groupLock.release(held)).resolves.toEqual({ outcome: 'not-held' });
      await expect(groupLock.hold({ ...held, count: 2 })).resolves.toEqual({ outcome: 'lost' });
      await expect(redis.admin.keys('*')).resolves.toEqual([]);
    });

    it('tells peers of a release that leaves a hold, as of the last one, and of no re-entry', async () => {
      const { groupLock, pubSub } = (await redis.open()).runtime.backend;
      const told: (string | undefined)[] = [];
      await pubSub.subscribe(lockChannel('g'), (message) => void told.push(message));
      told.length = 0;
      const held = { name: groupLockName('g', [field]), owner: peer, lease: 5000 };
      await groupLock.acquire(held);
      for (const count of [2, 1]) await groupLock.hold({ ...held, count });
      await time.until(() => told.length > 0, 1000);
      expect(told).toEqual(['0']);
    });

    it('refuses a foreign key under the name of the group', async () => {
      const { locks } = await redis.open();
      await redis.admin.set('g', 'text');
      const wrong = { code: 'LOCK_KEY_TYPE', lockName: 'g' };
      const lock = locks.getGroupLock('g', ['v1']);
      await expect(lock.acquire()).rejects.toMatchObject(wrong);
      await expect(lock.forceRelease()).rejects.toMatchObject(wrong);
      await expect(lock.isLocked()).rejects.toMatchObject(wrong);
    });

    it('refuses a lock of another kind under the name of the group, whose release would delete its fields', async () => {
      const { locks } = await redis.open();
      const plain = await locks.acquire('g');
      const lock = locks.getGroupLock('g', ['v1']);
      const wrong = { code: 'LOCK_KEY_TYPE', details: { found: 'hash that is no lock of this kind' } };
      await expect(lock.acquire()).rejects.toMatchObject(wrong);
      await plain.release();
      await redis.admin.hset('g', { mode: 'read', [peer]: 1 });
      await expect(lock.acquire()).rejects.toMatchObject(wrong);
      await expect(lock.forceRelease()).rejects.toMatchObject(wrong);
      await expect(redis.admin.hlen('g')).resolves.toBe(2);
    });

    it('keeps values acquired in the last millisecond of the group', async () => {
      const { admin } = redis;
      // The script of an acquisition, executed only in that millisecond.
      const only = `if redis.call('PTTL', KEYS[1]) ~= 0 then return { 'not now' } end ${scripts.groupLock.acquire.text}`;
      const hash = String(await admin.script('LOAD', only));
      const owner = '44444444-4444-4444-4444-444444444444:1';
      const isGranted = async (): Promise<boolean> => {
        await admin.del('g');
        const asked = admin.pipeline().hset('g', field, peer, `${field}:${peer}:expire_time`, 1).pexpire('g', 2);
        for (let call = 0; call < 300; call++) {
          asked.evalsha(hash, 1, 'g', owner, 30_000, Number.MAX_SAFE_INTEGER, field);
        }
        const replies = (await asked.exec()) ?? [];
        return replies.some(([, reply]) => Array.isArray(reply) && reply[0] === 'acquired');
      };
      await time.until(isGranted, 60_000);
      expect(await admin.pttl('g')).toBeGreaterThan(20_000);
      await expect(admin.hget('g', field)).resolves.toBe(owner);
    });
  });
});
