import { createHash } from 'node:crypto';
import type { HoldToken, LockService } from '../../lib/index.js';
import { LockLostError, LockOptionsError, LockOwnershipError, LockUnavailableError } from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';

const DETACHABLE = [
  ['plain', (locks: LockService) => locks.acquire('n')],
  ['fair', (locks: LockService) => locks.getFairLock('n').acquire()],
  ['fenced', (locks: LockService) => locks.getFencedLock('n').acquire()],
  ['spin', (locks: LockService) => locks.getSpinLock('n').acquire()],
] as const;

/** A hold ends in one client and goes on in another. */
onEveryBackend((world) => {
  const two = async (): Promise<readonly [LockService, LockService]> => {
    const [one, other] = [await world.open(), await world.open()];
    return [one.locks, other.locks];
  };
  const owners = async (): Promise<readonly string[]> => Object.keys((await world.probe.state('n')).owners);

  describe('A detached hold', () => {
    it.each(DETACHABLE)('goes on in another client: %s', async (_, acquire) => {
      const [here, there] = await two();
      const hold = await acquire(here);
      const token: HoldToken = await hold.detach();
      expect([hold.isHeld, hold.isReleased]).toEqual([false, true]);
      await expect(here.tryAcquire('n')).resolves.toBeNull();
      const attached = await there.attach(token);
      expect(attached).toMatchObject({ name: 'n', fence: hold.fence, isHeld: true });
      expect(await owners()).toEqual([attached.owner]);
      await expect(here.tryAcquire('n')).resolves.toBeNull();
      await expect(attached.release()).resolves.toBe('released');
      await (await here.acquire('n')).release();
    });

    it('is renewed where it is attached, and nowhere before', async () => {
      const [here, there] = [await world.open({ renewedLease: 3000 }), await world.open({ renewedLease: 3000 })];
      const hold = await here.locks.acquire('n');
      const attached = await there.locks.attach(await hold.detach());
      await world.renewed('n');
      attached.assertHeld();
      expect(await owners()).toEqual([attached.owner]);
      // A renewal where it was acquired would come a second after that, and so before this lease ends.
      const unused = await (await here.locks.acquire('m')).detach({ lease: 1100 });
      await world.time.until(async () => (await world.probe.names()).every((name) => name !== 'm'), 2000);
      await expect(there.locks.attach(unused)).rejects.toThrow(LockLostError);
      await attached.release();
    });

    it('lasts for the lease of the token, and then for that of the attached hold', async () => {
      const [here, there] = await two();
      const token = await (await here.acquire('n', { lease: '1m' })).detach({ lease: '2m' });
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(100_000);
      const attached = await there.attach(token, { lease: '3m' });
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(160_000);
      expect(attached.remaining).toBeGreaterThan(150_000);
      await attached.release();
    });

    it.each(
      (['plain', 'fair'] as const).flatMap((kind) =>
        (['detach', 'attach'] as const).map((how) => [how, kind] as const),
      ),
    )('is passed on once by a late %s of a %s lock, which shortens nothing', async (how, kind) => {
      const { lock, fairLock, takeOver } = (await world.open()).runtime.backend;
      const lockOfKind = kind === 'fair' ? fairLock : lock;
      const request = { kind, name: 'n', from: 'a:1', to: 'b:1', lease: 5000 };
      await lockOfKind.acquire({ name: 'n', owner: request.from, lease: 20_000 });
      await expect(takeOver[how](request)).resolves.toMatchObject({ outcome: 'held' });
      await lockOfKind.hold({ name: 'n', owner: request.to, count: 2, lease: 60_000 });
      await expect(takeOver[how](request)).resolves.toMatchObject({ outcome: 'held' });
      const { owners: fields, ttl } = await world.probe.state('n');
      expect(fields).toEqual({ [request.to]: 2 });
      expect(ttl).toBeGreaterThan(50_000);
      await lockOfKind.release({ name: 'n', owner: request.to, lease: 0 });
      await expect(takeOver[how](request)).resolves.toMatchObject({ outcome: 'lost' });
    });

    it('is attached once, however many try', async () => {
      const [here, there] = await two();
      const token = await (await here.acquire('n')).detach();
      const tries = await Promise.allSettled([here, there, here, there].map((locks) => locks.attach(token)));
      const lost = tries.flatMap((tried) => (tried.status === 'rejected' ? [tried.reason as unknown] : []));
      expect(lost).toEqual(Array(3).fill(expect.any(LockLostError)));
      await expect(there.attach(token)).rejects.toMatchObject({ code: 'LOCK_LOST', lockName: 'n' });
    });
  });

  describe('A token of a detached hold', () => {
    it.each(DETACHABLE)('extends its lock, and releases it, without an end to itself: %s', async (_, acquire) => {
      const [here, there] = await two();
      const token = await (await acquire(here)).detach({ lease: '1m' });
      for (const locks of [there, here]) await expect(locks.extend(token, '3m')).resolves.toBe(true);
      expect((await world.probe.state('n')).ttl).toBeGreaterThan(170_000);
      await expect(here.tryAcquire('n')).resolves.toBeNull();
      await expect(there.release(token)).resolves.toBe(true);
      await expect(there.release(token)).resolves.toBe(false);
      await expect(there.extend(token, '3m')).resolves.toBe(false);
      await expect(there.attach(token)).rejects.toThrow(LockLostError);
      await (await acquire(here)).release();
    });

    it('is good for nothing once it was attached, or is too late', async () => {
      const [here, there] = await two();
      const token = await (await here.acquire('n')).detach();
      const attached = await there.attach(token);
      await expect(here.extend(token, '2m')).resolves.toBe(false);
      await expect(here.release(token)).resolves.toBe(false);
      attached.assertHeld();
      await attached.release();
      const late = await (await here.acquire('n')).detach({ lease: 100 });
      await world.time.until(async () => (await world.probe.names()).length === 0, 100 + world.time.slack);
      await expect(here.extend(late, '2m')).resolves.toBe(false);
    });
  });

  describe('A hold that cannot be detached', () => {
    it('is that of a callback, or one of several of an owner: LockOwnershipError, and it stays', async () => {
      const [here] = await two();
      await here.withLock('n', async (hold) => {
        await expect(hold.detach()).rejects.toThrow(LockOwnershipError);
        hold.assertHeld();
      });
      await here.runInScope(async () => {
        const [outer, inner] = [await here.acquire('n'), await here.acquire('n')];
        await expect(outer.detach()).rejects.toThrow(LockOwnershipError);
        await inner.release();
        await expect(here.attach(await outer.detach())).resolves.toMatchObject({ isHeld: true });
      });
    });

    it('is one of a lock of another kind: LockOptionsError, and it stays', async () => {
      const [here] = await two();
      const read = await here.getReadWriteLock('rw').readLock().acquire();
      await expect(read.detach()).rejects.toThrow(LockOptionsError);
      read.assertHeld();
      await read.release();
    });

    it('was lost: LockLostError', async () => {
      const [here, there] = await two();
      const hold = await here.acquire('n');
      await there.getLock('n').forceRelease();
      await expect(hold.detach()).rejects.toThrow(LockLostError);
      expect(await owners()).toEqual([]);
    });

    it.each(['not-sent', 'refused'] as const)('is one whose request was %s: it stays', async (outcome) => {
      const { locks, runtime } = await world.open({ renewedLease: 3000 });
      const hold = await locks.acquire('n');
      const { takeOver } = runtime.backend;
      const detach = takeOver.detach.bind(takeOver);
      takeOver.detach = () => Promise.reject(new LockUnavailableError('it failed', outcome, false));
      await expect(hold.detach()).rejects.toThrow(LockUnavailableError);
      takeOver.detach = detach;
      await world.renewed('n');
      hold.assertHeld();
      expect(await owners()).toEqual([hold.owner]);
      const attached = await locks.attach(await hold.detach());
      await expect(attached.release()).resolves.toBe('released');
    });

    it.each([0, -1, Number.NaN, '5', null, {}])(
      'is asked for a lease of %p: LockOptionsError, and it stays',
      async (lease) => {
        const [here] = await two();
        const hold = await here.acquire('n');
        // @ts-expect-error Only some of them have a wrong type.
        await expect(hold.detach({ lease })).rejects.toThrow(LockOptionsError);
        hold.assertHeld();
        await hold.release();
      },
    );
  });

  describe('A token', () => {
    /** A text with the check digits of a token, as one that forges tokens would write it. */
    const signed = (fields: readonly unknown[]): string => {
      const body = Buffer.from(JSON.stringify(fields)).toString('base64url');
      return `${body}.${createHash('sha256').update(body).digest('hex').slice(0, 8)}`;
    };

    const damaged = (token: HoldToken): readonly unknown[] => [
      undefined,
      null,
      7,
      '',
      'token',
      token.slice(1),
      token.slice(0, -1),
      `${token}a`,
      token.replace('.', ''),
      `${token}.a`,
      { token },
      signed([1, 'default', 'fenced', 'n', 'secret', 'a fence']),
      signed([1, 'default', 'read', 'n', 'secret', '']),
      signed([2, 'default', 'plain', 'n', 'secret', '']),
      signed([1, 'default', 'plain', 'n', '', '']),
    ];

    it('that is malformed takes nothing: LockOptionsError', async () => {
      const [here, there] = await two();
      const token = await (await here.acquire('n')).detach();
      for (const value of damaged(token)) {
        await expect(there.attach(value as HoldToken)).rejects.toMatchObject({ code: 'LOCK_OPTIONS' });
      }
      await expect(there.attach(token)).resolves.toMatchObject({ isHeld: true });
    });

    it('that is forged, with a secret that is not that of the holder, takes nothing: LockLostError', async () => {
      const [here, there] = await two();
      const hold = await here.acquire('n');
      const forged = signed([1, 'default', 'plain', hold.name, 'secret', '']) as HoldToken;
      await expect(there.attach(forged)).rejects.toThrow(LockLostError);
      await expect(hold.release()).resolves.toBe('released');
    });

    it('does not show in what others see of the lock', async () => {
      const [here, there] = await two();
      const token = await (await here.acquire('n')).detach();
      const [owner = ''] = await owners();
      const body = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
      expect(body).not.toContain(owner.slice(0, 8));
      await expect(there.acquire('n', { wait: 0 })).rejects.toMatchObject({ details: { holder: owner } });
    });
  });
});
