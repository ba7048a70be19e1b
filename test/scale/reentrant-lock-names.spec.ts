import type { LockService } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { crowd } from '../kit/unsafe-counter.js';

const LIMIT_MS = 60_000;

/** Rows RL of the behaviour catalogue about ten workers and a thousand names. */
onEveryBackend((world) => {
  describe('A thousand reentrant locks', () => {
    it(
      'RL-17 serves 10 concurrent workers over 1 000 names',
      async () => {
        const { locks } = await world.open({ wait: Infinity });
        const insideOf = new Map<number, number>();
        const seen = { visits: 0, others: [] as unknown[] };
        const visit = async (_: number, round: number): Promise<void> => {
          await locks.withLock(`RLOCK_${round}`, async ({ owner }) => {
            insideOf.set(round, (insideOf.get(round) ?? 0) + 1);
            const { owners } = await world.probe.state(`RLOCK_${round}`);
            const inside = insideOf.get(round);
            seen.visits += 1;
            // Violations are collected and checked at the end, because ten thousand expectations take longer than the
            // locks.
            if (JSON.stringify(owners) !== `{"${owner}":1}` || inside !== 1)
              seen.others.push({ owner, owners, inside });
            insideOf.delete(round);
          });
        };
        await world.time.finish(crowd(10, 1000, visit), LIMIT_MS);
        expect(seen).toEqual({ visits: 10_000, others: [] });
        await expect(world.probe.names()).resolves.toEqual([]);
      },
      LIMIT_MS,
    );

    it(
      'RL-18 serves 10 workers with a wait of a few milliseconds, and leaves no name locked',
      async () => {
        const { locks } = await world.open();
        const obtained = { yes: 0, no: 0 };
        const visit = async (worker: number, round: number): Promise<void> => {
          const hold = await tryAcquire(locks, `RLOCK_${round}`, (worker * 7 + round) % 10);
          obtained[hold ? 'yes' : 'no'] += 1;
          await world.time.pause(1);
          await hold?.release();
        };
        await world.time.finish(crowd(10, 1000, visit), LIMIT_MS);
        expect(obtained.yes).toBeGreaterThanOrEqual(1000);
        expect(obtained.no).toBeGreaterThan(0);
        await world.time.until(async () => (await world.probe.names()).length === 0, 1000);
      },
      LIMIT_MS,
    );
  });
});

const tryAcquire = (locks: LockService, name: string, wait: number) => locks.tryAcquire(name, { wait });
