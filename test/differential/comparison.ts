import fc from 'fast-check';
import type { LockBackend } from '../../lib/backend/lock-backend.js';
import { Pair, type Step } from './pair.js';
import { smallestFailing } from './smallest.js';
import { blockedHoldSteps } from './steps/blocked-hold.steps.js';
import { latchSteps, semaphoreSteps } from './steps/counter.steps.js';
import { conversionSteps } from './steps/conversion.steps.js';
import { fairQueueSteps } from './steps/fair-lock.steps.js';
import { entriesExpire, grantingSteps } from './steps/granting-lock.steps.js';
import { inspectionSteps } from './steps/inspection.steps.js';
import { limitQueueSteps } from './steps/limit.steps.js';
import { lockSteps, tokenSteps } from './steps/lock.steps.js';
import { permitSteps } from './steps/permits.steps.js';
import { preferenceSteps } from './steps/read-write-lock.steps.js';
import { singleFlightSteps } from './steps/single-flight.steps.js';
import { takeOverSteps } from './steps/take-over.steps.js';

const RUNS = Number(process.env['DIFFERENTIAL_RUNS'] ?? 25);
const OPERATIONS = 50;

/** The kinds of the port. A new kind does not compile until it has steps here. */
type Kind = Exclude<
  keyof LockBackend,
  'takeOver' | 'conversion' | 'inspection' | 'pubSub' | 'watch' | 'refuse' | 'check' | 'open' | 'close'
>;

const STEPS: Readonly<Record<Kind, readonly fc.Arbitrary<Step>[]>> = {
  lock: [lockSteps('lock'), grantingSteps, takeOverSteps],
  fairLock: [lockSteps('fairLock'), fairQueueSteps],
  fencedLock: [lockSteps('fencedLock'), tokenSteps],
  groupLock: [lockSteps('groupLock')],
  limit: [lockSteps('limit'), limitQueueSteps],
  readLock: [lockSteps('readLock')],
  writeLock: [lockSteps('writeLock'), preferenceSteps, conversionSteps],
  semaphore: [semaphoreSteps],
  permitExpirableSemaphore: [permitSteps],
  countDownLatch: [latchSteps],
  singleFlight: [singleFlightSteps],
  blockedHolds: [blockedHoldSteps],
};

/** Steps that end what other kinds are to keep for a whole run. */
const STEPS_ALONE: Partial<Readonly<Record<Kind, readonly fc.Arbitrary<Step>[]>>> = {
  lock: [fc.oneof({ arbitrary: grantingSteps, weight: 20 }, { arbitrary: entriesExpire, weight: 1 })],
};

export const KINDS = Object.keys(STEPS);

/** The kinds that each spec compares. Kinds of one list are compared together, since they share their data. */
export const SPECS = {
  'exclusive-locks': [['lock'], ['fairLock'], ['fencedLock'], ['groupLock']],
  'shared-kinds': [
    ['readLock', 'writeLock'],
    ['limit'],
    ['semaphore'],
    ['permitExpirableSemaphore'],
    ['countDownLatch'],
    ['singleFlight'],
    ['blockedHolds'],
  ],
} satisfies Readonly<Record<string, readonly (readonly Kind[])[]>>;

/** The steps of a comparison, and the number of its runs. */
interface Comparison {
  readonly title: string;
  readonly steps: readonly fc.Arbitrary<Step>[];
  readonly runs: number;
}

/** The kinds of one spec, each by itself, so that its operations meet often. */
export const compareKindsOf = (spec: keyof typeof SPECS): void => {
  const lists: readonly (readonly Kind[])[] = SPECS[spec];
  compareBackends(
    lists.map((kinds) => ({
      title: kinds.join(' and '),
      steps: kinds.flatMap((kind) => [...STEPS[kind], ...(STEPS_ALONE[kind] ?? [])]),
      runs: Math.ceil(RUNS / 4),
    })),
  );
};

/**
 * Every kind at once, so that kinds with shared names meet. This comparison can find the most, so it has the most runs.
 */
export const compareTogether = (): void =>
  compareBackends([{ title: 'every kind together', steps: Object.values(STEPS).flat(), runs: RUNS }]);

const difference = (pair: Pair, steps: readonly Step[]): Promise<unknown> =>
  pair.compare(steps).then(
    () => undefined,
    (error: unknown) => error,
  );

/** A description of a failure: the fewest steps that cause it, and the difference after them. */
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

const compareBackends = (comparisons: readonly Comparison[]): void => {
  describe('On Redis and in memory the same operations give the same replies and leave the same state:', () => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await Pair.start();
    });
    afterAll(() => pair.stop());

    it.each(comparisons)(
      '$title',
      async ({ steps, runs }) => {
        const list = fc.array(fc.oneof(...steps, inspectionSteps), { minLength: OPERATIONS, maxLength: OPERATIONS });
        const property = fc.asyncProperty(list, (operations) => pair.compare(operations));
        const found = await fc.check(property, { numRuns: runs, endOnFailure: true });
        expect(await described(pair, found)).toBeUndefined();
      },
      60_000 + 200 * RUNS,
    );
  });
};
