import type { Hold, LockService } from '../../lib/index.js';
import { LockLostError } from '../../lib/standalone.js';
import { holdersChannel } from '../../lib/keys/redisson-keys.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { LOCKS } from '../topologies/every-kind.js';

/** How long code has its signal before the process listens, ms. */
const LISTENS_AFTER = 100;

/** Holds that others end: by a forced release, by an operator, or by whoever knows the owner. */
onEveryBackend((world) => {
  /** Resolves once the process of `hold` listens for its end. */
  const listening = async (name: string): Promise<void> => {
    const channel = holdersChannel(name);
    await world.time.until(async () => (await world.probe.subscribers(channel)) > 0, LISTENS_AFTER + world.time.slack);
    // The question that follows the subscription.
    await world.time.pass(20);
  };
  const told = (hold: Hold): Promise<number> => world.time.until(() => hold.signal.aborted, world.time.slack);

  type End = (locks: LockService, hold: Hold) => Promise<unknown>;
  const ends: readonly (readonly [string, (locks: LockService) => Promise<Hold>, End])[] = [
    ...LOCKS.map(([kind, lockOf]): (typeof ends)[number] => [
      `a forced release, ${kind}`,
      (locks) => lockOf(locks, 'n').acquire(),
      (locks) => lockOf(locks, 'n').forceRelease(),
    ]),
    [
      'a forced release, a name with braces',
      (locks) => locks.acquire('{n}'),
      (locks) => locks.getLock('{n}').forceRelease(),
    ],
    ['releaseHolder', (locks) => locks.acquire('n'), (locks, { owner }) => locks.releaseHolder('n', owner)],
    [
      'releaseHolder, a read lock',
      (locks) => locks.acquire('n', { mode: 'read' }),
      (locks, { owner }) => locks.releaseHolder('n', owner),
    ],
    [
      'releaseHolder, a limit',
      (locks) => locks.acquire('n', { limit: 2 }),
      (locks, { owner }) => locks.releaseHolder('n', owner),
    ],
    [
      'the release of an owner',
      (locks) => locks.acquire('n', { owner: 'anna', lease: '2m' }),
      (locks) => locks.release({ name: 'n', owner: 'anna' }),
    ],
    [
      'the release of an owner by another hold',
      (locks) => locks.acquire('n', { owner: 'anna', lease: '2m' }),
      async (locks) => (await locks.acquire('n', { owner: 'anna', lease: '2m' })).release(),
    ],
  ];

  describe('The end of a hold by others', () => {
    it.each(ends)('aborts its signal at once: %s', async (_, acquire, end) => {
      const [here, there] = [await world.open(), await world.open()];
      const hold = await acquire(here.locks);
      expect(hold.signal.aborted).toBe(false);
      await listening(hold.name.includes('{') ? '{n}' : 'n');
      expect(hold.signal.aborted).toBe(false);
      await end(there.locks, hold);
      await told(hold);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
    });

    it('is told of one that was ended before its process listened', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const hold = await here.locks.acquire('n');
      const { signal } = hold;
      await there.locks.getLock('n').forceRelease();
      await world.time.until(() => signal.aborted, LISTENS_AFTER + world.time.slack);
      expect(signal.reason).toBeInstanceOf(LockLostError);
    });

    it('leaves other holds of the name alone', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const holds = await Promise.all([1, 2].map(() => here.locks.acquire('n', { mode: 'read' })));
      const signals = holds.map(({ signal }) => signal);
      await listening('n');
      await there.locks.releaseHolder('n', holds[0]?.owner ?? '');
      await world.time.until(() => signals[0]?.aborted === true, world.time.slack);
      await world.time.pass(50);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    });
  });

  describe('The end of a permit with an id by others', () => {
    const RENEWED = 3000;
    type EndPermit = (locks: LockService, id: string) => Promise<unknown>;
    const permitEnds: readonly (readonly [string, EndPermit])[] = [
      ['releaseHolder', (locks, id) => locks.releaseHolder('p', id)],
      ['tryRelease', (locks, id) => locks.getPermitExpirableSemaphore('p').tryRelease(id)],
    ];

    it.each(permitEnds)('aborts its signal at the next renewal, and not before: %s', async (_, end) => {
      const [here, there] = [await world.open({ renewedLease: RENEWED }), await world.open()];
      const permits = here.locks.getPermitExpirableSemaphore('p');
      await permits.trySetPermits(1);
      const permit = await permits.acquire({ renew: true });
      expect(permit.signal.aborted).toBe(false);
      await world.time.renewed(async () => [await permits.leaseTime(permit)]);
      await expect(end(there.locks, permit.id)).resolves.toBe(true);
      await world.time.pass(3 * LISTENS_AFTER);
      expect(permit.signal.aborted).toBe(false);
      await world.time.until(() => permit.signal.aborted, RENEWED / 3 + world.time.slack);
      expect(permit.signal.reason).toBeInstanceOf(LockLostError);
    });

    it('aborts its signal with the end of its lease, if it has one of its own', async () => {
      const [here, there] = [await world.open(), await world.open()];
      const permits = here.locks.getPermitExpirableSemaphore('p');
      await permits.trySetPermits(1);
      const permit = await permits.acquire({ lease: 1000 });
      expect(permit.signal.aborted).toBe(false);
      await expect(there.locks.releaseHolder('p', permit.id)).resolves.toBe(true);
      await world.time.pass(3 * LISTENS_AFTER);
      expect(permit.signal.aborted).toBe(false);
      await world.time.until(() => permit.signal.aborted, 1000 + world.time.slack);
    });
  });

  describe('To learn of that', () => {
    it('costs nothing while nobody has the signal, and for a hold of less than 100 ms', async () => {
      const { locks } = await world.open();
      const silent = await locks.acquire('n');
      const short = await locks.acquire('short');
      expect(short.signal.aborted).toBe(false);
      const before = await world.probe.commands();
      await world.time.pass(LISTENS_AFTER / 2);
      await short.release();
      await world.time.pass(2 * LISTENS_AFTER);
      await expect(world.probe.commands()).resolves.toBe(before + 1);
      await expect(world.probe.channels()).resolves.toEqual([]);
      await silent.release();
    });

    it('needs one subscription for all holds of a name, which ends with the last of them', async () => {
      const { locks } = await world.open();
      const [first, second] = [await locks.acquire('n', { mode: 'read' }), await locks.acquire('n', { mode: 'read' })];
      expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
      await listening('n');
      await first.release();
      await expect(world.probe.channels()).resolves.toEqual([holdersChannel('n')]);
      await second.release();
      await world.time.until(async () => (await world.probe.channels()).length === 0, world.time.slack);
    });
  });
});
