import { onEveryBackend } from '../kit/every-backend.js';

/** Row WD-10 of the behaviour catalogue. */
onEveryBackend((world) => {
  describe('The watchdog', () => {
    it('WD-10 keeps 10 000 holds alive in batches', async () => {
      const { locks } = await world.open({ watchdogTimeout: 3000 });
      const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
      const holds = await inChunks(names, (name) => locks.acquire(name));
      const asked = await world.probe.commands();
      await world.time.pass(3 * 1000);
      // 20 batches of 500 for each of three or four rounds.
      expect((await world.probe.commands()) - asked).toBeLessThanOrEqual(4 * 20);
      expect(holds.filter(({ signal }) => signal.aborted)).toEqual([]);
      await expect(world.probe.names()).resolves.toHaveLength(10_000);
      const released = await inChunks(holds, (hold) => hold.release());
      expect(new Set(released)).toEqual(new Set(['released']));
    }, 30_000);
  });
});

/** Some at a time, so that none waits for its reply behind thousands. */
const inChunks = async <T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += 250) {
    results.push(...(await Promise.all(items.slice(start, start + 250).map(task))));
  }
  return results;
};
