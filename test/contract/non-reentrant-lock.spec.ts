import {
  LockLostError,
  LockOptionsError,
  LockOwnershipError,
  type Lock,
  type LockService,
} from '../../lib/standalone.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Owner } from './owner.js';

const variants: [string, (locks: LockService) => Lock][] = [
  ['plain', (locks) => locks.getNonReentrantLock('n')],
  ['fair', (locks) => locks.getNonReentrantLock('n', { fair: true })],
];

/** Rows NR of the behaviour catalogue. */
onEveryBackend((world) => {
  describe.each(variants)('A non-reentrant lock, %s', (_, lockOf) => {
    it('NR-02 N01 refuses its own owner at once, without a command, and is still held once', async () => {
      const { locks } = await world.open();
      const a = new Owner(locks);
      const lock = lockOf(locks);
      const hold = await a.run(() => lock.acquire());
      const before = await world.probe.commands();
      const again: (() => Promise<unknown>)[] = [
        () => lock.acquire(),
        () => lock.tryAcquire(),
        () => lock.tryAcquire({ wait: 100 }),
        () => lock.withLock(() => 'inside'),
      ];
      for (const attempt of again) await expect(a.run(attempt)).rejects.toThrow(LockOwnershipError);
      await expect(world.probe.commands()).resolves.toBe(before);
      await expect(world.probe.state('n')).resolves.toMatchObject({ owners: { [hold.owner]: 1 } });
      await a.run(() => lock.release());
      await expect(lock.isLocked()).resolves.toBe(false);
      await expect(a.run(() => lock.tryAcquire())).resolves.not.toBeNull();
    });

    it('NR-02 refuses a callback that runs under it, and its siblings', async () => {
      const { locks } = await world.open();
      const lock = lockOf(locks);
      const again = (): Promise<string> => lock.withLock(() => 'inside');
      const outcomes = await lock.withLock(() => Promise.allSettled([again(), again(), lock.acquire()]));
      const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome));
      expect(reasons).toEqual(outcomes.map(() => expect.any(LockOwnershipError)));
      await expect(lock.isLocked()).resolves.toBe(false);
    });

    it('NR-02 refuses the second of two concurrent acquisitions of one owner', async () => {
      const { locks } = await world.open();
      const lock = lockOf(locks);
      await locks.runInScope(async () => {
        const [first, second] = await Promise.allSettled([lock.acquire(), lock.acquire()]);
        expect(first.status).toBe('fulfilled');
        expect(second).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_OWNERSHIP' } });
        await expect(lock.holdCount()).resolves.toBe(1);
      });
    });

    it('NR-02 refuses the holder of the reentrant lock of the name', async () => {
      const { locks } = await world.open();
      await locks.withLock('n', async () => {
        await expect(lockOf(locks).tryAcquire()).rejects.toThrow(LockOwnershipError);
      });
    });

    it('is lost like other locks, and can be acquired again', async () => {
      const { locks } = await world.open();
      const lock = lockOf(locks);
      await lock.withLock({ lease: 600 }, async () => {
        await world.time.pass(650);
        await expect(lock.acquire()).rejects.toThrow(LockLostError);
      });
      await locks.runInScope(async () => {
        await lock.acquire({ lease: 600 });
        await world.time.pass(650);
        await expect(lock.acquire()).resolves.toBeDefined();
      });
    });
  });

  it.each([{ fair: 1 }, { fenced: true }, 'fair'])('NR-02 is refused with the options %p', async (options) => {
    const { locks } = await world.open();
    expect(() => locks.getNonReentrantLock('n', options as never)).toThrow(LockOptionsError);
  });
});
