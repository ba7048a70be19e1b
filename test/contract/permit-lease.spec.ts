import type { LockBackend } from '../../lib/backend/lock-backend.js';
import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import type { RedisBackend } from '../../lib/backend/redis-backend.js';
import { memoryBackend } from '../kit/memory-backend.js';
import { LockLostError, LockUnavailableError, type Permit } from '../../lib/standalone.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import type { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { openClient } from '../kit/client.js';

/** The part of 1000 ms for which a holder may act: 2 % and 20 ms less. */
const SAFE_MS = 960;

onEveryBackend((world) => {
  describe('A permit', () => {
    const open = async (permits: number) => {
      const semaphore = (await world.open()).locks.getPermitExpirableSemaphore('p');
      await semaphore.trySetPermits(permits);
      return semaphore;
    };

    it('D20: is its id when converted to text', async () => {
      const semaphore = await open(1);
      const permit = await semaphore.acquire({ lease: '10s' });
      expect(permit.id).toMatch(/^[\da-f]{32}$/);
      expect([String(permit), [permit].join(), JSON.stringify({ permit })]).toEqual([
        permit.id,
        permit.id,
        `{"permit":"${permit.id}"}`,
      ]);
      expect(permit.name).toBe('p');
      expect(inspect(permit)).toContain(permit.id);
      await expect(semaphore.updateLeaseTime(permit.id, '20s')).resolves.toBe(true);
      await semaphore.release(permit.id);
      expect(permit.isHeld).toBe(false);
      expect(() => permit.assertHeld()).toThrow('was already released');
      await expect(semaphore.availablePermits()).resolves.toBe(1);
    });

    it('D20: is released once, and reports whether it was held', async () => {
      const semaphore = await open(2);
      const permit = await semaphore.acquire();
      expect(permit.remaining).toBe(Infinity);
      await expect(Promise.all([permit.release(), permit.release()])).resolves.toEqual(['released', 'released']);
      const gone = await semaphore.acquire();
      await semaphore.delete();
      await expect(gone.release()).resolves.toBe('expired');
    });

    it('D20: is lost if the server does not have it, and unchanged if a release of several did nothing', async () => {
      const semaphore = await open(3);
      const [first, second] = await semaphore.acquireMany(2, { lease: '10s' });
      if (!first || !second) throw new Error('two were asked for');
      const unknown = '0'.repeat(32);
      await expect(semaphore.tryRelease([first, unknown])).resolves.toBe(false);
      first.assertHeld();
      const { signal } = second;
      await semaphore.delete();
      await expect(semaphore.updateLeaseTime(second, '20s')).resolves.toBe(false);
      expect(signal.reason).toBeInstanceOf(LockLostError);
      expect(() => second.assertHeld()).toThrow(signal.reason);
      await expect(semaphore.leaseTime(first)).rejects.toMatchObject({ code: 'LOCK_OWNERSHIP' });
      expect(() => first.assertHeld()).toThrow(LockLostError);
    });
  });
});

describe('The lease of a permit', () => {
  /** A server whose replies are late by a time that the test sets, ms. */
  const setUp = async () => {
    const clock = new ManualClock();
    const late = { acquire: 0, updateLease: [] as number[] };
    const backend = (scheduler: MonotonicScheduler): RedisBackend => {
      const memory = memoryBackend(scheduler);
      const { permitExpirableSemaphore: permits } = memory;
      const slow: Partial<LockBackend['permitExpirableSemaphore']> = {
        acquire: async (request) => {
          const reply = await permits.acquire(request);
          if (late.acquire > 0) await scheduler.pause(late.acquire);
          return reply;
        },
        updateLease: async (...request) => {
          const reply = await permits.updateLease(...request);
          const ms = late.updateLease.shift() ?? 0;
          if (ms === Infinity) throw new LockUnavailableError('no reply', 'unknown', false);
          if (ms > 0) await scheduler.pause(ms);
          return reply;
        },
      };
      const transitions = Object.assign(Object.create(permits) as typeof permits, slow);
      return Object.assign(memory, { permitExpirableSemaphore: transitions });
    };
    const client = openClient({ connection: 'memory' }, { scheduler: clock, backend });
    const semaphore = client.locks.getPermitExpirableSemaphore('p');
    await semaphore.trySetPermits(1);
    const finish = async <T>(work: Promise<T>, ms: number): Promise<T> => {
      await clock.advance(ms);
      return work;
    };
    const isHeld = (permit: Permit): boolean => {
      try {
        permit.assertHeld();
        return true;
      } catch (error) {
        if (error instanceof LockLostError) return false;
        throw error;
      }
    };
    return { clock, late, client, semaphore, finish, isHeld };
  };

  it('D20: counts from when the request was sent, by the same safe share as that of a lock', async () => {
    const { clock, late, semaphore, finish, isHeld } = await setUp();
    late.acquire = 240;
    const permit = await finish(semaphore.acquire({ lease: 1000 }), 240);
    expect(permit.remaining).toBe(SAFE_MS - 240);
    await clock.advance(SAFE_MS - 241);
    expect(isHeld(permit)).toBe(true);
    expect(permit.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(isHeld(permit)).toBe(false);
    expect(permit.remaining).toBe(0);
    expect(permit.signal.reason).toBeInstanceOf(LockLostError);
    // The server keeps the permit for 40 ms longer, so no other caller has had it by then.
    await expect(semaphore.leaseTime(permit)).resolves.toBe(40);
  });

  it('D20: aborts the signal of withPermit before another caller can have the permit', async () => {
    const { clock, client, semaphore } = await setUp();
    const seen: unknown[] = [];
    const work = semaphore.withPermit({ lease: 1000 }, async (permit) => {
      permit.signal.addEventListener('abort', () => seen.push(permit.signal.reason, [...client.events]));
      await client.runtime.scheduler.pause(5000);
      return permit.id;
    });
    const next = semaphore.acquire({ wait: '3s' }).then(() => seen.push('somebody else'));
    await clock.advance(5000);
    const id = await work;
    await next;
    const reason: unknown = expect.stringContaining('lease ended');
    const remedy: unknown = expect.stringContaining('a longer lease');
    const fields = {
      connection: 'default',
      kind: 'permitExpirableSemaphore',
      template: undefined,
      method: undefined,
    };
    const lost = { type: 'lost', ...fields, lockName: 'p', owner: id, reason, remedy };
    expect(seen).toEqual([expect.any(LockLostError), [lost], 'somebody else']);
    expect(client.events).toEqual([lost]);
  });

  it('D20: sets no timer without a listener, and leaves none behind', async () => {
    const { clock, semaphore } = await setUp();
    const idle = clock.pending;
    const permit = await semaphore.acquire({ lease: '10s' });
    expect(clock.pending).toBe(idle);
    const { signal } = permit;
    expect(clock.pending).toBe(idle + 1);
    await semaphore.release(permit);
    expect(clock.pending).toBe(idle);
    await clock.advance(20_000);
    expect(signal.aborted).toBe(false);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each(['permit', 'id'] as const)('D20: becomes longer and shorter by the %s', async (by) => {
    const { clock, client, semaphore, isHeld } = await setUp();
    const permit = await semaphore.acquire({ lease: 1000 });
    const other = client.locks.getPermitExpirableSemaphore('p');
    const update = (lease?: number) => other.updateLeaseTime(by === 'id' ? permit.id : permit, lease);
    const { signal } = permit;
    await clock.advance(500);
    await update(10_000);
    expect(permit.remaining).toBe(10_000 * 0.98 - 20);
    await update();
    expect(permit.remaining).toBe(Infinity);
    await clock.advance(100_000);
    expect(isHeld(permit)).toBe(true);
    await update(1000);
    await clock.advance(SAFE_MS - 1);
    expect(isHeld(permit)).toBe(true);
    await clock.advance(1);
    expect(isHeld(permit)).toBe(false);
    expect(signal.aborted).toBe(true);
  });

  it('D20: is not made longer by the late reply to an older request', async () => {
    const { clock, late, semaphore } = await setUp();
    const permit = await semaphore.acquire({ lease: 1000 });
    late.updateLease = [300, 0];
    const longer = semaphore.updateLeaseTime(permit, 60_000);
    const shorter = semaphore.updateLeaseTime(permit, 1000);
    await clock.advance(300);
    await expect(Promise.all([longer, shorter])).resolves.toEqual([true, true]);
    expect(permit.remaining).toBe(SAFE_MS);
    await expect(semaphore.leaseTime(permit)).resolves.toBe(1000);
  });

  it('D20: counts as shortened if the reply was lost', async () => {
    const { late, semaphore } = await setUp();
    const permit = await semaphore.acquire({ lease: 60_000 });
    late.updateLease = [Infinity];
    await expect(semaphore.updateLeaseTime(permit, 1000)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(permit.remaining).toBe(SAFE_MS);
  });

  it('D20: stays over after its local end, although the server has the permit a little longer', async () => {
    const { clock, semaphore, isHeld } = await setUp();
    const permit = await semaphore.acquire({ lease: 1000 });
    const { signal } = permit;
    await clock.advance(SAFE_MS);
    expect(signal.aborted).toBe(true);
    await expect(semaphore.updateLeaseTime(permit, 60_000)).resolves.toBe(true);
    expect(isHeld(permit)).toBe(false);
    await expect(permit.release()).resolves.toBe('released');
  });

  it('D20: is not reported for a permit that the work has released itself', async () => {
    const { client, semaphore } = await setUp();
    await semaphore.withPermit({ lease: 1000 }, (permit) => semaphore.release(permit.id));
    expect(client.events).toEqual([]);
    await expect(semaphore.availablePermits()).resolves.toBe(1);
  });

  it('D20: releases the permit at the end of a block', async () => {
    const { semaphore } = await setUp();
    const permit = await semaphore.acquire({ lease: 1000 });
    await permit[Symbol.asyncDispose]();
    await expect(semaphore.availablePermits()).resolves.toBe(1);
  });
});
