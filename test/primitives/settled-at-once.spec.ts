import type { AcquireOptions } from '../../lib/index.js';
import { MemoryWorld } from '../kit/memory-world.js';

type Kind = 'plain' | 'multi' | 'red';

describe('A caller of a server that no longer answers releases', () => {
  const world = new MemoryWorld();

  afterEach(() => world.reset());

  const open = async () => {
    const client = await world.open();
    const { lock } = client.runtime.backend;
    return { locks: client.locks, lock };
  };
  const never = (): Promise<never> => new Promise(() => {});

  /** The outcome of a wait, and the time that it took, ms. */
  const endOf = async (work: Promise<unknown>, within: number): Promise<{ code: unknown; took: number }> => {
    const start = world.time.now();
    const code = await world.time.finish(
      work.then(
        () => 'had',
        (error: { code?: unknown }) => error.code,
      ),
      within,
    );
    return { code, took: world.time.now() - start };
  };

  const kinds: readonly Kind[] = ['multi', 'red'];
  it.each(kinds)(
    'D19: is rejected in time at the end of its wait for a %s lock, and at once by an abort',
    async (kind) => {
      const { locks, lock } = await open();
      const rival = (await world.open()).locks;
      for (const name of ['b', 'c']) await rival.acquire(name);
      const abc = ['a', 'b', 'c'].map((name) => locks.getLock(name));
      const wanted = kind === 'red' ? locks.getMajorityLock(...abc) : locks.getMultiLock(...abc);
      const acquire = (options: AcquireOptions): Promise<unknown> => wanted.acquire(options);
      lock.release = never;
      await expect(endOf(acquire({ wait: 300 }), 2000)).resolves.toMatchObject({ code: 'LOCK_TIMEOUT', took: 300 });
      const abort = new AbortController();
      const waiting = acquire({ wait: 10_000, signal: abort.signal });
      waiting.catch(() => {});
      await world.time.pass(200);
      abort.abort();
      // One tick of the test's clock, which is the interval of its checks.
      await expect(endOf(waiting, 100)).resolves.toMatchObject({ code: 'LOCK_ABORTED', took: 1 });
    },
  );

  it('D19: is rejected at once by an abort while it re-enters and queues for its turn', async () => {
    const { locks, lock } = await open();
    const told = await locks.withLock('n', async () => {
      let [endFirst, answer] = [(): void => {}, (): void => {}];
      const first = locks.withLock('n', () => new Promise<void>((resolve) => (endFirst = resolve)));
      const abort = new AbortController();
      let code: unknown = 'waits';
      const second = locks.withLock('n', { signal: abort.signal }, () => {});
      const ended = second.catch((error: { code?: unknown }) => (code = error.code));
      // Both owners are counted in. The second one queues behind the first.
      await world.clock.advance(1);
      expect(Object.values((await world.probe.state('n')).owners)).toEqual([3]);
      const answered = new Promise<void>((resolve) => (answer = resolve));
      const hold = lock.hold.bind(lock);
      lock.hold = (request) => answered.then(() => hold(request));
      abort.abort();
      await world.clock.advance(0);
      const atOnce = code;
      answer();
      endFirst();
      await Promise.all([first, ended]);
      return atOnce;
    });
    expect(told).toBe('LOCK_ABORTED');
  });
});
