import { inWorld } from '../kit/every-backend.js';
import { track } from '../kit/time.js';
import { InteropWorld } from './interop-world.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';

const world = new InteropWorld();

const AT_ONCE_MS = 500;
const UNLIMITED = { wait: Number.POSITIVE_INFINITY };

/** Tokens, which only the fenced lock has. Behaviour that all kinds of locks share is in `lock-kinds.spec.ts`. */
inWorld(world, ({ time }) => {
  const openBoth = async () => {
    const { java, locks } = await world.openBoth();
    return { theirs: (thread = 'a') => java.thread(thread).fencedLock('n'), ours: locks.getFencedLock('n') };
  };

  describe('Fencing tokens', () => {
    it('grow from owner to owner, whichever side they are on', async () => {
      const { theirs, ours } = await openBoth();
      const tokens: bigint[] = [];
      for (let turn = 0; turn < 5; turn++) {
        tokens.push(await theirs().lockAndGetToken());
        await theirs().unlock();
        const hold = await ours.acquire();
        tokens.push(hold.fence);
        await hold.release();
      }
      // The format does not fix the difference between two tokens: Redisson counts, this library goes by the server's
      // clock.
      expect(tokens.filter((token, turn) => turn > 0 && token <= (tokens[turn - 1] ?? 0n))).toEqual([]);
      expect(tokens).toHaveLength(10);
    });

    it('given last are the same for both sides', async () => {
      const { theirs, ours } = await openBoth();
      await expect(Promise.all([theirs().getToken(), ours.currentToken()])).resolves.toEqual([0n, 0n]);
      const token = await theirs().lockAndGetToken();
      await expect(ours.currentToken()).resolves.toBe(token);
      await theirs().unlock();
      const { fence } = await ours.acquire();
      await expect(theirs().getToken()).resolves.toBe(fence);
    });

    it('of a Java waiter are above that of the Node holder it waited for, and the other way round', async () => {
      const { theirs, ours } = await openBoth();
      const hold = await ours.acquire();
      const inJava = theirs().lockAndGetToken();
      await world.listening(lockChannel('n'));
      await hold.release();
      const token = await time.finish(inJava, AT_ONCE_MS);
      expect(token).toBeGreaterThan(hold.fence);
      const inNode = ours.acquire(UNLIMITED);
      await world.listening(lockChannel('n'));
      await theirs().unlock();
      expect((await time.finish(inNode, AT_ONCE_MS)).fence).toBeGreaterThan(token);
    });

    it('grow although the holder before let its lease run out', async () => {
      const { theirs, ours } = await openBoth();
      const late = await ours.acquire({ lease: 300 });
      const token = await time.finish(theirs().tryLockAndGetToken(5000, 300), 300 + time.slack);
      expect(token ?? 0n).toBeGreaterThan(late.fence);
      const { fence } = await time.finish(ours.acquire(UNLIMITED), 300 + time.slack);
      expect(fence).toBeGreaterThan(token ?? 0n);
    });

    it('of a re-entering Java thread are passed over: the next Node owner gets a greater one', async () => {
      const { theirs, ours } = await openBoth();
      await theirs().lockAndGetToken();
      const inner = await theirs().lockAndGetToken();
      await theirs().unlock();
      await theirs().unlock();
      expect((await ours.acquire()).fence).toBeGreaterThan(inner);
    });

    it('are not given to a waiter whose wait ends without the lock', async () => {
      const { theirs, ours } = await openBoth();
      const hold = await ours.acquire();
      const waiting = theirs().tryLockAndGetToken(300);
      const progress = track(waiting);
      await expect(time.finish(waiting, 300 + time.slack)).resolves.toBeNull();
      expect(progress.settled).toBe(true);
      await expect(ours.currentToken()).resolves.toBe(hold.fence);
    });
  });
});
