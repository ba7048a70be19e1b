import type { RedisBackend } from '../../lib/backend/redis-backend.js';
import { memoryBackend } from '../kit/memory-backend.js';
import { LockLostError, LockOptionsError } from '../../lib/standalone.js';
import { permitDeadlines } from '../../lib/keys/redisson-keys.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import type { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { openClient } from '../kit/client.js';
import { inWorld, onEveryBackend } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';

/** A renewal is due each second, and only a stall of two seconds ends a lease. */
const TIMEOUT = 3000;
/** Longer than until the next renewal, ms. */
const PERIOD = 1100;

onEveryBackend((world) => {
  const open = async (permits: number, options = {}) => {
    const client = await world.open({ renewedLease: TIMEOUT, ...options });
    const semaphore = client.locks.getPermitExpirableSemaphore('p');
    await semaphore.trySetPermits(permits);
    return { client, events: client.events, semaphore };
  };

  describe('A permit that is renewed', () => {
    it('lasts for longer than its lease, and is back in the pool after its release', async () => {
      const { semaphore, events } = await open(2);
      const permits = await semaphore.acquireMany(2, { renew: true });
      for (let renewals = 0; renewals < 2; renewals++) {
        await world.time.renewed(() => Promise.all(permits.map((permit) => semaphore.leaseTime(permit))));
      }
      for (const permit of permits) {
        permit.assertHeld();
        expect(permit.signal.aborted).toBe(false);
        expect(await semaphore.leaseTime(permit)).toBeLessThanOrEqual(TIMEOUT);
      }
      await expect(semaphore.tryAcquire()).resolves.toBeNull();
      await expect(permits[0]?.release()).resolves.toBe('released');
      await semaphore.release(permits[1]?.id ?? '');
      await world.time.pass(PERIOD);
      await expect(semaphore.availablePermits()).resolves.toBe(2);
      expect(events).toEqual([]);
    });

    it('is back in the pool within its lease when its client has gone', async () => {
      const [gone, alive] = [await open(1), await open(1)];
      const permit = await gone.semaphore.acquire({ renew: true });
      await world.time.renewed(async () => [await alive.semaphore.leaseTime(permit)]);
      await expect(alive.semaphore.tryAcquire()).resolves.toBeNull();
      await gone.client.close();
      const next = alive.semaphore.acquire({ wait: Infinity });
      await (await world.time.finish(next, TIMEOUT + world.time.slack)).release();
    });

    it('is lost, with an event, if the server does not have it any more', async () => {
      const { semaphore, events } = await open(1);
      const permit = await semaphore.acquire({ renew: true });
      await semaphore.delete();
      await world.time.until(() => permit.signal.aborted, TIMEOUT + world.time.slack);
      expect(permit.signal.reason).toBeInstanceOf(LockLostError);
      expect(() => permit.assertHeld()).toThrow('the server no longer has it');
      expect(events).toEqual([expect.objectContaining({ type: 'lost', lockName: 'p', owner: permit.id })]);
    });

    it('ends with the lease that it is given, and goes on being renewed if it is not given one', async () => {
      const { semaphore } = await open(2);
      const [given, other] = await semaphore.acquireMany(2, { renew: true });
      if (!given || !other) throw new Error('two were asked for');
      await semaphore.updateLeaseTime(given, 500);
      await world.time.until(() => given.signal.aborted, 500 + world.time.slack);
      await world.time.renewed(async () => [await semaphore.leaseTime(other)]);
      expect(given.isHeld).toBe(false);
      expect(other.isHeld).toBe(true);
      await semaphore.updateLeaseTime(other);
      expect(other.remaining).toBe(Infinity);
      await world.time.pass(PERIOD);
      await expect(semaphore.leaseTime(other)).resolves.toBe(-1);
    });

    it('goes on being renewed if a release of several did nothing', async () => {
      const { semaphore } = await open(1);
      const permit = await semaphore.acquire({ renew: true });
      await expect(semaphore.tryRelease([permit, '0'.repeat(32)])).resolves.toBe(false);
      await world.time.renewed(async () => [await semaphore.leaseTime(permit)]);
      expect(permit.isHeld).toBe(true);
      await expect(semaphore.availablePermits()).resolves.toBe(0);
    });

    it('is renewed no longer than maxHold, with an event before and at the end', async () => {
      // Long enough for a round of the watchdog between the last renewal and the end, on a busy machine too.
      const maxHold = 2400;
      const { semaphore, events } = await open(1, { renewedLease: 1800, maxHold });
      const permit = await semaphore.acquire({ renew: true });
      await world.time.until(() => permit.signal.aborted, maxHold + world.time.slack);
      expect(events.map(({ type }) => type)).toEqual(['max-hold-reached', 'lost']);
      expect(String(permit.signal.reason)).toContain('longer than maxHold');
      await world.time.until(async () => (await semaphore.availablePermits()) === 1, 500);
    });
  });

  describe('The option renew', () => {
    it('lets each renewal grant the lease, if one is given', async () => {
      const renewedLease = 900;
      const [gone, alive] = [await open(1, { renewedLease }), await open(1)];
      const lease = 3000;
      const permit = await gone.semaphore.acquire({ renew: true, lease });
      await world.time.renewed(async () => [await alive.semaphore.leaseTime(permit)]);
      permit.assertHeld();
      expect(await alive.semaphore.leaseTime(permit)).toBeGreaterThan(renewedLease);
      await gone.client.close();
      const next = alive.semaphore.acquire({ wait: Infinity });
      await (await world.time.finish(next, lease + world.time.slack)).release();
    });

    it.each([
      [{ renew: 'yes' }, { option: 'renew', value: 'yes' }],
      [{ renew: 1 }, { option: 'renew', value: 1 }],
      [
        { renew: true, lease: 49 },
        { option: 'lease', value: 49 },
      ],
    ])('is refused before anything is sent: %p', async (options, details) => {
      const { semaphore } = await open(1);
      // What follows the reply to the first call is executed before the answer to another.
      await semaphore.availablePermits();
      const before = await world.probe.commands();
      for (const refused of [semaphore.acquire(options as never), semaphore.tryAcquireMany(1, options as never)]) {
        await expect(refused).rejects.toThrow(LockOptionsError);
        await expect(refused).rejects.toMatchObject({ details });
      }
      await expect(world.probe.commands()).resolves.toBe(before);
    });
  });
});

describe('The renewal of permits', () => {
  /** A client whose renewals are answered when the test says so. */
  const setUp = async () => {
    const clock = new ManualClock();
    const sent: number[] = [];
    const held = { replies: undefined as Promise<void> | undefined };
    const backend = (scheduler: MonotonicScheduler): RedisBackend => {
      const memory = memoryBackend(scheduler);
      const { permitExpirableSemaphore: permits } = memory;
      const renew: typeof permits.renew = async (renewals) => {
        sent.push(renewals.length);
        const reply = await permits.renew(renewals);
        await held.replies;
        return reply;
      };
      return Object.assign(memory, { permitExpirableSemaphore: Object.assign(Object.create(permits), { renew }) });
    };
    const { locks } = openClient({ connection: 'memory', renewedLease: TIMEOUT }, { scheduler: clock, backend });
    const semaphore = locks.getPermitExpirableSemaphore('p');
    await semaphore.trySetPermits(10);
    return { clock, sent, held, semaphore };
  };

  it('takes one command for many permits', async () => {
    const { clock, sent, semaphore } = await setUp();
    await semaphore.acquireMany(7, { renew: true });
    await clock.advance(TIMEOUT / 3);
    expect(sent).toEqual([7]);
  });

  it('is answered before a new lease is sent, which it would lengthen', async () => {
    const { clock, held, semaphore } = await setUp();
    const permit = await semaphore.acquire({ renew: true });
    let answer = (): void => {};
    held.replies = new Promise((resolve) => (answer = resolve));
    await clock.advance(TIMEOUT / 3);
    const shorter = semaphore.updateLeaseTime(permit, 100);
    await clock.advance(50);
    await expect(semaphore.leaseTime(permit)).resolves.toBe(TIMEOUT - 50);
    answer();
    await clock.advance(0);
    await expect(shorter).resolves.toBe(true);
    await expect(semaphore.leaseTime(permit)).resolves.toBe(100);
    await clock.advance(TIMEOUT);
    expect(permit.isHeld).toBe(false);
  });

  it('whose answer comes after the release does not bring the permit back', async () => {
    const { clock, sent, held, semaphore } = await setUp();
    const permit = await semaphore.acquire({ renew: true });
    let answer = (): void => {};
    held.replies = new Promise((resolve) => (answer = resolve));
    await clock.advance(TIMEOUT / 3);
    await semaphore.release(permit);
    answer();
    await clock.advance(2 * TIMEOUT);
    expect(sent).toEqual([1]);
    expect(permit.isHeld).toBe(false);
    await expect(semaphore.availablePermits()).resolves.toBe(10);
  });
});

const redis = new RedisWorld();

inWorld(redis, ({ time }) => {
  describe('The renewal of permits on a server', () => {
    it('works where the server is out of memory, and restores nothing that has ended', async () => {
      const { locks, runtime } = await redis.open({ renewedLease: TIMEOUT });
      const semaphore = locks.getPermitExpirableSemaphore('p');
      await semaphore.trySetPermits(2);
      const permit = await semaphore.acquire({ renew: true });
      const short = await semaphore.acquire({ lease: 600 });
      await redis.admin.config('SET', 'maxmemory', '1');
      redis.onReset(() => redis.admin.config('SET', 'maxmemory', '0'));
      await time.renewed(async () => [await semaphore.leaseTime(permit)]);
      expect(permit.isHeld).toBe(true);
      const { permitExpirableSemaphore: permits } = runtime.backend;
      const renewals = [permit, short].map(({ id }) => ({ name: 'p', owner: id, lease: TIMEOUT }));
      await expect(permits.renew(renewals)).resolves.toMatchObject({ held: [true, false] });
      await redis.admin.config('SET', 'maxmemory', '0');
      await redis.admin.set(permitDeadlines('other'), 'theirs');
      await expect(permits.renew([{ name: 'other', owner: permit.id, lease: TIMEOUT }])).resolves.toMatchObject({
        held: [false],
      });
    });
  });
});
