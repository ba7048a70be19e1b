import fc from 'fast-check';
import { Pair, type Step } from './pair.js';
import { smallestFailing } from './smallest.js';
import { latchSteps, semaphoreSteps } from './steps/counter.steps.js';
import { fairQueueSteps } from './steps/fair-lock.steps.js';
import { lockSteps, tokenSteps } from './steps/lock.steps.js';
import { permitSteps } from './steps/permits.steps.js';
import { preferenceSteps } from './steps/read-write-lock.steps.js';

const RUNS = Number(process.env['DIFFERENTIAL_RUNS'] ?? 25);
const OPERATIONS = 50;

/** Operations of each kind, which meet most where the kind is alone; and all together, where kinds meet that share a name. */
const KINDS = {
  'the plain lock': [lockSteps('lock')],
  'the fenced lock': [lockSteps('fencedLock'), tokenSteps],
  'the group lock': [lockSteps('groupLock')],
  'the fair lock': [lockSteps('fairLock'), fairQueueSteps],
  'the read-write lock': [lockSteps('readLock'), lockSteps('writeLock'), preferenceSteps],
  'the semaphore': [semaphoreSteps],
  'the permit-expirable semaphore': [permitSteps],
  'the count-down latch': [latchSteps],
} satisfies Readonly<Record<string, readonly fc.Arbitrary<Step>[]>>;

type Kind = keyof typeof KINDS;

/** What to compare, and how often: where all kinds meet, there is most to find. */
interface Comparison {
  readonly title: string;
  readonly steps: readonly fc.Arbitrary<Step>[];
  readonly runs: number;
}

export const alone = (kinds: readonly Kind[]): readonly Comparison[] =>
  kinds.map((title) => ({ title, steps: KINDS[title], runs: Math.ceil(RUNS / 4) }));

export const together: Comparison = { title: 'every kind together', steps: Object.values(KINDS).flat(), runs: RUNS };

const difference = (pair: Pair, steps: readonly Step[]): Promise<unknown> =>
  pair.compare(steps).then(
    () => undefined,
    (error: unknown) => error,
  );

/** What a failure comes down to: the steps that are enough, and how the two sides differ after them. */
const described = async (
  pair: Pair,
  { counterexample, errorInstance, seed, numRuns }: fc.RunDetails<[Step[]]>,
): Promise<string | undefined> => {
  if (counterexample === null) return undefined;
  const fails = async (part: readonly Step[]): Promise<boolean> => (await difference(pair, part)) !== undefined;
  const smallest = await smallestFailing(counterexample[0], fails);
  const labels = smallest.map(({ label }) => label).join('\n  ');
  return `Seed ${seed}, run ${numRuns}; ${smallest.length} steps are enough:\n  ${labels}\n${String((await difference(pair, smallest)) ?? errorInstance)}`;
};

export const compareBackends = (comparisons: readonly Comparison[]): void => {
  describe('On Redis and in memory the same operations give the same replies and leave the same state:', () => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await Pair.start();
    });
    afterAll(() => pair.stop());

    it.each(comparisons)(
      '$title',
      async ({ steps, runs }) => {
        const list = fc.array(fc.oneof(...steps), { minLength: OPERATIONS, maxLength: OPERATIONS });
        const property = fc.asyncProperty(list, (operations) => pair.compare(operations));
        const found = await fc.check(property, { numRuns: runs, endOnFailure: true });
        expect(await described(pair, found)).toBeUndefined();
      },
      60_000 + 200 * RUNS,
    );
  });
};
