import { constantBackoff } from '../../lib/advanced.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';

/** In memory, since a busy machine may take longer between two releases than a process may go first. */
inWorld(new MemoryWorld(), (world) => {
  const { time } = world;
  it('D27: a spin lock is acquired at once after each release by its own process, in the longest pause', async () => {
    const { locks } = await world.open();
    const lock = locks.getSpinLock('n', constantBackoff('10s'));
    const hold = await lock.acquire();
    const waiting = [lock.acquire({ wait: Infinity }), lock.acquire({ wait: Infinity })] as const;
    await time.pass(100);
    await hold.release();
    const next = await time.finish(waiting[0], time.slack);
    await time.pass(10);
    await next.release();
    const last = await time.finish(waiting[1], time.slack);
    await expect(last.release()).resolves.toBe('released');
  });
});
