import type { Hold, LockService } from '../../lib/index.js';
import { inWorld } from '../kit/every-backend.js';
import { MemoryWorld } from '../kit/memory-world.js';

const COUNT = 10_000;
/** A renewal names 500 locks at the most. */
const BATCHES = COUNT / 500;

const acquireAll = (locks: LockService): Promise<Hold[]> =>
  inChunks(
    Array.from({ length: COUNT }, (_, index) => `n${index}`),
    (name) => locks.acquire(name),
  );

const expectAllHeld = async (holds: readonly Hold[]): Promise<void> => {
  expect(holds.filter(({ signal }) => signal.aborted).length).toBe(0);
  const released = await inChunks(holds, (hold) => hold.release());
  expect(new Set(released)).toEqual(new Set(['released']));
};

/** Row WD-10 of the behaviour catalogue. */
describe('The watchdog', () => {
  inWorld(new MemoryWorld(), (world) => {
    it(`WD-10 keeps ${COUNT} holds alive in batches`, async () => {
      const { locks } = await world.open({ renewedLease: 3000 });
      const holds = await acquireAll(locks);
      const asked = await world.probe.commands();
      await world.time.pass(3 * 1000);
      // The batches of three or four rounds.
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(4 * BATCHES);
      await expect(world.probe.names()).resolves.toHaveLength(COUNT);
      await expectAllHeld(holds);
    });
  });
});

/** Runs tasks in chunks, so that none waits for its reply behind thousands. */
const inChunks = async <T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += 250) {
    results.push(...(await Promise.all(items.slice(start, start + 250).map(task))));
  }
  return results;
};
