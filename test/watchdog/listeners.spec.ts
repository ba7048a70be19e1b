import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { LockService } from '../../lib/standalone.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { currentContext } from '../../lib/context/owner-context.js';
import { BlockableLoop } from './blockable-loop.js';

const LEASE = 100;

/** An event loop that counts the timers set inside a context, because they would keep that context alive. */
class WatchedLoop extends BlockableLoop {
  setInside = 0;

  override schedule(...timer: Parameters<BlockableLoop['schedule']>): ReturnType<BlockableLoop['schedule']> {
    if (currentContext()) this.setInside += 1;
    return super.schedule(...timer);
  }
}

const open = () => {
  const loop = new WatchedLoop();
  const runtime = createRuntime(parseModuleOptions({ connection: 'memory' }), loop, memoryBackend);
  const locks = new LockService(runtime);
  const heard: { readonly type: string; readonly isInside: boolean; readonly taken: Promise<boolean> }[] = [];
  locks.onEvent(({ type }) => {
    const taken = locks.tryAcquire('b').then((hold) => hold !== null);
    heard.push({ type, isInside: currentContext() !== undefined, taken });
  });
  return { loop, locks, runtime, heard };
};

describe('A listener that is told of a loss while the running code holds another lock', () => {
  it('D7: does not run as that holder when a timer finds the loss', async () => {
    const { loop, locks, heard } = open();
    await locks.withLock('b', async () => {
      const hold = await locks.acquire('a', { lease: LEASE });
      await hold.extend(2 * LEASE);
      await loop.pass(2 * LEASE);
      expect(hold.signal.aborted).toBe(true);
      expect(heard).toMatchObject([{ type: 'lost', isInside: false }]);
      await expect(heard[0]?.taken).resolves.toBe(false);
    });
    expect(loop.setInside).toBe(0);
  });

  it('D7: does not run as that holder when assertHeld() finds the loss', async () => {
    const { loop, locks, heard } = open();
    await locks.withLock('b', async () => {
      const hold = await locks.acquire('a', { lease: LEASE });
      loop.block(LEASE);
      expect(() => hold.assertHeld()).toThrow('its lease ended');
      expect(heard).toMatchObject([{ type: 'lost', isInside: false }]);
      await expect(heard[0]?.taken).resolves.toBe(false);
    });
  });

  it('D7: does not run as that holder when the reply to a command shows the loss', async () => {
    const { locks, heard, runtime } = open();
    await locks.withLock('b', async () => {
      const hold = await locks.acquire('a');
      await runtime.backend.lock.forceRelease({ name: 'a' });
      await expect(hold.extend(LEASE)).rejects.toThrow('the server no longer has it');
      expect(heard).toMatchObject([{ type: 'lost', isInside: false }]);
      await expect(heard[0]?.taken).resolves.toBe(false);
    });
  });

  it('D7: does not run as that holder when another listener throws', async () => {
    const { locks, heard, runtime } = open();
    locks.onEvent(({ type }) => {
      if (type === 'lost') throw new Error('out of paper');
    });
    await locks.withLock('b', async () => {
      const hold = await locks.acquire('a');
      await runtime.backend.lock.forceRelease({ name: 'a' });
      await expect(hold.release()).resolves.toBe('expired');
      expect(heard.map(({ type, isInside }) => [type, isInside])).toEqual([
        ['lost', false],
        ['unexpected', false],
      ]);
      await Promise.all(heard.map(({ taken }) => expect(taken).resolves.toBe(false)));
    });
  });
});
