import type { LockOperations } from '../../lib/backend/lock-operations.js';
import type { Hold } from '../../lib/index.js';
import { LockUnavailableError } from '../../lib/standalone.js';
import type { Client } from '../kit/client.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';
import { HOLD_KINDS } from './hold-kinds.js';

const LEASE = 3000;

const PARTS = ['lock', 'fairLock', 'fencedLock', 'groupLock', 'readLock', 'writeLock', 'limit'] as const;

/** Lets the replies to renewals be lost, as long as the set has the name. */
const loseReplies = ({ runtime: { backend } }: Client, names: ReadonlySet<string>): void => {
  const failure = new LockUnavailableError('no reply', 'unknown', false);
  for (const part of PARTS) {
    const operations: LockOperations = backend[part];
    const renew = operations.renew.bind(operations);
    operations.renew = async (renewals) => {
      const { sent, held } = await renew(renewals);
      const isLost = (at: number): boolean => [...names].some((name) => renewals[at]?.name.includes(name));
      return { sent, held: held.map((isHeld, at) => (isLost(at) ? undefined : isHeld)), failure };
    };
  }
};

/** `hold.state`, on a clock that the test moves. */
inWorld(new MemoryWorld(), (world) => {
  const becomes = (hold: Hold, state: Hold['state']): Promise<number> =>
    world.time.until(() => hold.state === state, LEASE + world.time.slack);
  const open = async () => {
    const client = await world.open({ renewedLease: LEASE });
    const lost = new Set<string>();
    loseReplies(client, lost);
    return { locks: client.locks, lost };
  };

  describe.each(Object.entries(HOLD_KINDS))('A hold of %s', (_, acquire) => {
    it('is suspended while renewals fail, held again after one that succeeds, and lost with its lease', async () => {
      const { locks, lost } = await open();
      const hold = await acquire(locks);
      await world.time.pass(LEASE);
      expect(hold.state).toBe('held');
      for (const name of ['a', 'b', 'c']) lost.add(name);
      await becomes(hold, 'suspended');
      expect(() => hold.assertHeld()).not.toThrow();
      expect(hold.remaining).toBeGreaterThan(LEASE / 2);
      lost.clear();
      await becomes(hold, 'held');
      expect(hold.remaining).toBeGreaterThan(LEASE / 2);
      for (const name of ['a', 'b', 'c']) lost.add(name);
      await becomes(hold, 'suspended');
      await becomes(hold, 'lost');
      expect([hold.isHeld, hold.isReleased]).toEqual([false, false]);
      await expect(hold.release()).resolves.toBe('expired');
      expect(hold.state).toBe('released');
    });

    it('with a lease of its own is held until that ends', async () => {
      const { locks } = await open();
      const hold = await acquire(locks, { lease: LEASE });
      const states = new Set<string>();
      await world.time.until(() => states.add(hold.state).has('lost'), LEASE + world.time.slack);
      expect([...states]).toEqual(['held', 'lost']);
    });
  });

  describe('The state of a hold', () => {
    it('is held as long as maxHold lets it be renewed, and suspended if a renewal before that fails', async () => {
      const { locks, lost } = await open();
      const hold = await locks.acquire('a', { maxHold: 4000 });
      const failing = await locks.acquire('b', { maxHold: 4000 });
      lost.add('b');
      const [states, others] = [new Set<string>(), new Set<string>()];
      await world.time.until(() => {
        others.add(failing.state);
        return states.add(hold.state).has('lost');
      }, 4000);
      expect([...states]).toEqual(['held', 'lost']);
      expect([...others]).toEqual(['held', 'suspended', 'lost']);
    });

    it('is suspended after the event loop stood for so long that a renewal is overdue', async () => {
      const { locks } = await open();
      const hold = await locks.acquire('a');
      world.time.block(0.75 * LEASE);
      expect([hold.state, hold.isHeld]).toEqual(['suspended', true]);
      await becomes(hold, 'held');
    });

    it('of several locks is that of the worst', async () => {
      const { locks, lost } = await open();
      const hold = await locks.getMultiLock('a', 'b').acquire();
      lost.add('b');
      await becomes(hold, 'suspended');
      expect(hold.members.map(({ state }) => state)).toEqual(['held', 'suspended']);
      await hold.members[0]?.release();
      expect(hold.state).toBe('lost');
    });

    it('of a majority lock is that of its best majority', async () => {
      const { locks, lost } = await open();
      const hold = await locks.getMajorityLock(...['a', 'b', 'c'].map((name) => locks.getLock(name))).acquire();
      lost.add('c');
      await world.time.until(() => hold.members[2]?.state === 'suspended', LEASE);
      expect(hold.state).toBe('held');
      await hold.members[0]?.release();
      expect(hold.state).toBe('suspended');
      await world.time.until(() => hold.members[2]?.state === 'lost', LEASE + world.time.slack);
      expect(hold.state).toBe('lost');
    });
  });
});
