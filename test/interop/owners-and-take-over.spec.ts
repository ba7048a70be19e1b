import type { LockService } from '../../lib/index.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';

const world = new InteropWorld();

const AT_ONCE_MS = 500;
const ANNA = { owner: 'user:anna', lease: '1m' } as const;

/** Locks that belong to an owner, and locks that are taken over: for Redisson, holders and changes of the holder. */
inWorld(world, ({ time }) => {
  /** Ends the lock that a caller has taken over, once it has it. */
  const takeOver = (locks: LockService): Promise<boolean> =>
    locks.withLock('n', { onConflict: 'replace', fenced: true }, async (hold) => {
      await time.pass(50);
      return hold.isHeld;
    });

  describe('A lock of an owner', () => {
    it('keeps Java out until it is released by name and owner', async () => {
      const { thread, locks } = await world.openBoth();
      const theirs = thread.lock('n');
      await locks.acquire('n', ANNA);
      await expect(theirs.isLocked()).resolves.toBe(true);
      await expect(theirs.tryLock()).resolves.toBe(false);
      const waiting = theirs.lock();
      const waits = track(waiting);
      await world.listening(lockChannel('n'));
      await locks.extend({ name: 'n', owner: ANNA.owner }, '2m');
      expect(waits.settled).toBe(false);
      await expect(locks.release({ name: 'n', owner: ANNA.owner })).resolves.toBe(true);
      await time.finish(waiting, AT_ONCE_MS);
      await expect(locks.tryAcquire('n', ANNA)).resolves.toBeNull();
      await theirs.unlock();
    });
  });

  describe('A lock that is taken over', () => {
    it.each(['plain', 'fenced'] as const)(
      'from Java is no longer that of its thread, whose release is refused: %s',
      async (kind) => {
        const { thread, locks } = await world.openBoth();
        const theirs = kind === 'fenced' ? thread.fencedLock('n') : thread.lock('n');
        await theirs.lock();
        await expect(takeOver(locks)).resolves.toBe(true);
        await expect(theirs.unlock()).rejects.toThrow('not locked by current thread');
        await expect(theirs.tryLock()).resolves.toBe(true);
        await theirs.unlock();
      },
    );

    it('from Node keeps Java out, which gets it after the newer caller', async () => {
      const { thread, locks } = await world.openBoth();
      const hold = await locks.acquire('n');
      const waiting = thread.lock('n').lock();
      await world.listening(lockChannel('n'));
      await expect(takeOver(locks)).resolves.toBe(true);
      await time.finish(waiting, AT_ONCE_MS);
      await expect(hold.release()).resolves.toBe('expired');
      await thread.lock('n').unlock();
    });
  });
});
