import type { LockBackend } from '../../lib/backend/lock-backend.js';
import { onEveryBackend } from '../kit/every-backend.js';

const SLOT = 600;
const LEASE = 60_000;
/** The time that a Redisson client subtracts by default from the deadlines behind it, ms. */
const REDISSON_WAIT = 300_000;
/** The ids of a Redisson client, and of two clients of this library in other processes. */
const JAVA = '7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11';
const DEAD = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11';
const ALIVE = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c12';

/**
 * A place of this library behind a Java waiter gets extra time for the time that Java subtracts. If Java subtracts
 * less, the rest must not stay.
 */
onEveryBackend((world) => {
  const keptFor = async (owner: string): Promise<number> =>
    (await world.probe.queue('n')).find((place) => place.owner === owner)?.keptFor ?? Number.NaN;

  /**
   * Queues a Java waiter that waits for 20 s at the most, and behind it two places of a dead process of this library.
   */
  const deadBehindJava = async (fairLock: LockBackend['fairLock'], javaKeptFor = LEASE + 20_000): Promise<void> => {
    await world.probe.put('n', 'holder:1', LEASE);
    await world.probe.enqueue('n', { owner: `${JAVA}:1`, keptFor: javaKeptFor });
    for (const owner of [`${DEAD}:1`, `${DEAD}:2`])
      await fairLock.queue({ name: 'n', owner, lease: LEASE, slot: SLOT });
    expect(await keptFor(`${DEAD}:1`)).toBeGreaterThan(REDISSON_WAIT);
  };

  /** Makes Java acquire and release, and subtract its own wait from the deadlines behind it, as Redisson does. */
  const javaHasItsTurn = async (fairLock: LockBackend['fairLock']): Promise<void> => {
    const java = { name: 'n', owner: `${JAVA}:1`, lease: LEASE };
    await world.probe.remove('n');
    await expect(fairLock.queue({ ...java, slot: 20_000 })).resolves.toMatchObject({ outcome: 'acquired' });
    await fairLock.release(java);
  };

  describe('Time added for a Java waiter that has left', () => {
    it('D16: delays a new waiter by one slot', async () => {
      const { locks, runtime } = await world.open({ fairWaitTimeout: SLOT });
      await deadBehindJava(runtime.backend.fairLock);
      await javaHasItsTurn(runtime.backend.fairLock);
      expect(await keptFor(`${DEAD}:1`)).toBeGreaterThan(REDISSON_WAIT - 21_000);
      await world.time.finish(locks.getFairLock('n').acquire({ wait: Infinity }), SLOT + world.time.slack);
    });

    it('D16: delays a new waiter by one slot if Java was behind another addition', async () => {
      const { locks, runtime } = await world.open({ fairWaitTimeout: SLOT });
      // Java counts its deadline from that of the place ahead, including the half millisecond that marks places of this
      // library.
      await deadBehindJava(runtime.backend.fairLock, REDISSON_WAIT + 20_000.5);
      await javaHasItsTurn(runtime.backend.fairLock);
      const waiting = locks.getFairLock('n').acquire({ wait: Infinity });
      expect((await world.time.finish(waiting, SLOT + world.time.slack)).isHeld).toBe(true);
    });

    it('D16: delays an existing waiter by one slot and the time to notice', async () => {
      const { locks, runtime } = await world.open({ fairWaitTimeout: SLOT });
      await deadBehindJava(runtime.backend.fairLock);
      const waiting = locks.getFairLock('n').acquire({ wait: Infinity });
      await world.time.until(async () => (await world.probe.queue('n')).length === 4, 3000);
      await javaHasItsTurn(runtime.backend.fairLock);
      const got = await world.time.finish(waiting, SLOT + SLOT / 3 + world.time.slack);
      expect(got.isHeld).toBe(true);
    });

    it('D16: is removed as well while Java waits behind', async () => {
      const { fairLock } = (await world.open()).runtime.backend;
      await deadBehindJava(fairLock);
      await world.probe.enqueue('n', { owner: `${JAVA}:2`, keptFor: LEASE + 40_000 });
      await fairLock.queue({ name: 'n', owner: `${ALIVE}:1`, lease: LEASE, slot: SLOT });
      await javaHasItsTurn(fairLock);
      await fairLock.keep({ name: 'n', owners: [`${ALIVE}:1`], slot: SLOT });
      for (const owner of [`${DEAD}:1`, `${DEAD}:2`]) expect(await keptFor(owner)).toBeLessThanOrEqual(SLOT);
      // This waiter still has a Java waiter ahead.
      expect(await keptFor(`${ALIVE}:1`)).toBeGreaterThan(REDISSON_WAIT);
    });

    it('D16: stays while that waits, and a longer slot of another process always stays', async () => {
      const { fairLock } = (await world.open()).runtime.backend;
      await deadBehindJava(fairLock);
      await fairLock.queue({ name: 'n', owner: `${ALIVE}:1`, lease: LEASE, slot: SLOT });
      await fairLock.keep({ name: 'n', owners: [`${ALIVE}:1`], slot: SLOT });
      expect(await keptFor(`${DEAD}:1`)).toBeGreaterThan(REDISSON_WAIT);
      await javaHasItsTurn(fairLock);
      await fairLock.keep({ name: 'n', owners: [`${DEAD}:1`, `${DEAD}:2`], slot: 100 * SLOT });
      await fairLock.keep({ name: 'n', owners: [`${ALIVE}:1`], slot: SLOT });
      await fairLock.queue({ name: 'n', owner: `${ALIVE}:2`, lease: LEASE, slot: SLOT });
      expect(await keptFor(`${DEAD}:1`)).toBeGreaterThan(50 * SLOT);
    });
  });
});
