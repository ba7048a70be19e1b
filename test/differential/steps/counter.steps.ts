import fc from 'fast-check';
import { lease } from '../durations.js';
import { name } from '../names.js';
import type { Step } from '../pair.js';

const permits = fc.integer({ min: 1, max: 4 });

/** Changes that take a count below its range, near zero, and above its range. */
const delta = fc.oneof(
  { arbitrary: fc.integer({ min: -4, max: 4 }), weight: 9 },
  fc.constantFrom(2 ** 31 - 1, 1 - 2 ** 31),
);

const counterSteps = (kind: 'semaphore' | 'countDownLatch'): readonly fc.Arbitrary<Step>[] => [
  fc
    .tuple(name, fc.integer({ min: 0, max: 4 }), fc.option(lease, { nil: undefined }))
    .map(([counter, count, ttl]): Step => ({
      label: `${kind}.trySet ${counter} ${count} ${ttl}`,
      run: ({ backend }) => backend[kind].trySet(counter, count, ttl),
    })),
  name.map((counter): Step => ({
    label: `${kind}.count ${counter}`,
    run: ({ backend }) => backend[kind].count(counter),
  })),
  name.map((counter): Step => ({
    label: `${kind}.delete ${counter}`,
    run: ({ backend }) => backend[kind].delete(counter),
  })),
];

export const semaphoreSteps: fc.Arbitrary<Step> = fc.oneof(
  ...counterSteps('semaphore'),
  fc.tuple(name, permits).map(([semaphore, count]): Step => ({
    label: `semaphore.take ${semaphore} ${count}`,
    run: ({ backend }) => backend.semaphore.take(semaphore, count),
  })),
  fc.tuple(name, permits).map(([semaphore, count]): Step => ({
    label: `semaphore.release ${semaphore} ${count}`,
    run: ({ backend }) => backend.semaphore.release(semaphore, count),
  })),
  fc.tuple(name, permits).map(([semaphore, count]): Step => ({
    label: `semaphore.releaseIfExists ${semaphore} ${count}`,
    run: ({ backend }) => backend.semaphore.releaseIfExists(semaphore, count),
  })),
  // 0: it is kept until it is deleted.
  fc.tuple(name, fc.oneof(lease, fc.constant(0))).map(([semaphore, ttl]): Step => ({
    label: `semaphore.expire ${semaphore} ${ttl}`,
    run: ({ backend }) => backend.semaphore.expire(semaphore, ttl),
  })),
  name.map((semaphore): Step => ({
    label: `semaphore.drain ${semaphore}`,
    run: ({ backend }) => backend.semaphore.drain(semaphore),
  })),
  fc.tuple(name, delta).map(([semaphore, by]): Step => ({
    label: `semaphore.add ${semaphore} ${by}`,
    run: ({ backend }) => backend.semaphore.add(semaphore, by),
  })),
);

export const latchSteps: fc.Arbitrary<Step> = fc.oneof(
  ...counterSteps('countDownLatch'),
  name.map((latch): Step => ({
    label: `countDownLatch.countDown ${latch}`,
    run: ({ backend }) => backend.countDownLatch.countDown(latch),
  })),
);
