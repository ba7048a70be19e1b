import type { LockBackend } from '../../lib/backend/lock-backend.js';
import fc from 'fast-check';
import { isOurs } from '../../lib/context/owner-ids.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { fairDeadlines, fairQueue } from '../../lib/keys/redisson-keys.js';

const redis = new RedisWorld();

const SLOT = 20_000;
const LEASE = 600_000;
const REDISSON_WAIT = 300_000;
const QUEUE = fairQueue('n');
const DEADLINES = fairDeadlines('n');

const ofJava = [1, 2].map((thread) => `7c0f3b52-6a0f-4a2b-9a53-0f0b6a3d1c11:${thread}`);
const ofOurs = [1, 2, 3].map((thread) => `7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c11:${thread}`);
const OLDER = '7c0f3b52-6a0f-8a2b-9a53-0f0b6a3d1c12:1';

interface Step {
  readonly label: string;
  /** Resolves with whether the time to live of the queue must fit its waiters after this step. */
  run(fairLock: LockBackend['fairLock']): Promise<boolean>;
}

/** Expects a deadline that is high enough, although the Java waiters ahead subtract their waits from it. */
const expectRoom = async (owner: string): Promise<void> => {
  const queue = await redis.probe.queue('n');
  const at = queue.findIndex((place) => place.owner === owner);
  const ahead = queue.slice(0, at).filter((place) => !isOurs(place.owner)).length;
  expect(queue[at]?.keptFor).toBeGreaterThan(ahead * REDISSON_WAIT);
};

const comes = (owner: string): Step => ({
  label: `${owner} comes`,
  run: async (fairLock) => {
    const { outcome } = await fairLock.queue({ name: 'n', owner, lease: LEASE, slot: SLOT });
    if (outcome === 'queued') await expectRoom(owner);
    return outcome === 'queued';
  },
});

const leaves = (owner: string): Step => ({
  label: `${owner} leaves`,
  run: async (fairLock) => {
    const hadPlace = (await redis.admin.lrange(QUEUE, 0, -1)).includes(owner);
    await fairLock.leave({ name: 'n', owners: [owner], lease: LEASE, slot: SLOT });
    await expect(redis.admin.lrange(QUEUE, 0, -1)).resolves.not.toContain(owner);
    return hadPlace;
  },
});

const areKept = (owners: readonly string[]): Step => ({
  label: `${owners.join(' ')} are kept`,
  run: async (fairLock) => {
    const places = await redis.admin.lrange(QUEUE, 0, -1);
    const kept = await fairLock.keep({ name: 'n', owners, slot: SLOT });
    expect(kept).toEqual(owners.map((owner) => places.includes(owner)));
    for (const owner of owners) if (places.includes(owner)) await expectRoom(owner);
    return true;
  },
});

/** Joins the queue like Redisson's scripts: with the same data, and without times to live. */
const joins = (owner: string): Step => ({
  label: `${owner} joins`,
  run: async () => {
    if ((await redis.admin.zscore(DEADLINES, owner)) === null) {
      const deadline = Date.now() + ofJava.length * REDISSON_WAIT + LEASE;
      await redis.admin.multi().lrem(QUEUE, 0, owner).zadd(DEADLINES, deadline, owner).rpush(QUEUE, owner).exec();
    }
    return false;
  },
});

const goes = (owner: string): Step => ({
  label: `${owner} goes`,
  run: async () => {
    await redis.admin.multi().zrem(DEADLINES, owner).lrem(QUEUE, 0, owner).exec();
    return false;
  },
});

/**
 * Joins the queue as older versions of this library do. They read the queue instead of its mark, and gave both keys one
 * time to live.
 */
const joinsAsBefore: Step = {
  label: `${OLDER} joins as before`,
  run: async (fairLock) => {
    await joins(OLDER).run(fairLock);
    const onlyOurs = (await redis.admin.lrange(QUEUE, 0, -1)).every(isOurs);
    for (const key of [QUEUE, DEADLINES]) await (onlyOurs ? redis.admin.pexpire(key, LEASE) : redis.admin.persist(key));
    return true;
  },
};

const others: readonly Step[] = [
  {
    label: 'a multi-lock of Redisson sets the end of all keys',
    run: async () => {
      await redis.admin.multi().pexpire(QUEUE, LEASE).pexpire(DEADLINES, LEASE).exec();
      return false;
    },
  },
  ...[QUEUE, DEADLINES].map((key) => ({
    label: `${key} is evicted`,
    run: async () => {
      await redis.admin.del(key);
      return false;
    },
  })),
];

const ours = fc.constantFrom(...ofOurs);
const java = fc.constantFrom(...ofJava);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: ours.map(comes), weight: 8 },
  { arbitrary: fc.uniqueArray(ours, { minLength: 1 }).map(areKept), weight: 4 },
  { arbitrary: ours.map(leaves), weight: 4 },
  { arbitrary: java.map(joins), weight: 4 },
  { arbitrary: java.map(goes), weight: 3 },
  { arbitrary: fc.constantFrom(joinsAsBefore, goes(OLDER)), weight: 2 },
  { arbitrary: fc.constantFrom(...others), weight: 2 },
);

/** The scripts know whether Redisson waits without reading the queue. The memory backend reads it. */
inWorld(redis, () => {
  /** Expects that a queue has a time to live exactly if all its waiters are of this library. */
  const expectEnd = async (): Promise<void> => {
    const waiters = await redis.admin.lrange(QUEUE, 0, -1);
    if (waiters.length === 0) return;
    const ttl = await redis.admin.pttl(QUEUE);
    expect({ waiters, hasEnd: ttl > 0 }).toEqual({ waiters, hasEnd: waiters.every(isOurs) });
  };

  /** Expects that each living waiter has one place after a heartbeat and an attempt, whatever was lost before. */
  const expectPlaces = async (fairLock: LockBackend['fairLock']): Promise<void> => {
    await fairLock.keep({ name: 'n', owners: ofOurs, slot: SLOT });
    for (const owner of ofOurs) await fairLock.queue({ name: 'n', owner, lease: LEASE, slot: SLOT });
    const queue = await redis.probe.queue('n');
    const places = queue.filter(({ owner }) => ofOurs.includes(owner));
    expect(places.map(({ owner }) => owner).toSorted()).toEqual(ofOurs);
    for (const { keptFor } of places) expect(keptFor).toBeGreaterThan(0);
  };

  describe('A fair queue of ours and Java', () => {
    it('is recognised after any arrival, departure or change of its keys', async () => {
      const { fairLock } = (await redis.open()).runtime.backend;
      const happens = async (steps: readonly Step[]): Promise<void> => {
        await redis.admin.flushall();
        await redis.probe.put('n', 'holder:1', LEASE);
        for (const step of steps) if (await step.run(fairLock)) await expectEnd();
        await expectPlaces(fairLock);
      };
      const lists = fc.array(anyStep, { minLength: 12, maxLength: 30 });
      const found = await fc.check(fc.asyncProperty(lists, happens), { numRuns: 150 });
      const labels = found.counterexample?.[0].map(({ label }) => label);
      expect({ labels, error: found.errorInstance }).toEqual({ labels: undefined, error: null });
    });
  });
});
