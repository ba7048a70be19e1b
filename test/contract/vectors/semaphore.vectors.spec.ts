import { describeVectors } from './run-vectors.js';

/** Resolves with null, which Redisson returns for an operation without a result. */
const nothing = async (work: Promise<void>): Promise<null> => {
  await work;
  return null;
};

describeVectors(
  ['M'],
  {
    'sem.trySetPermits': ({ semaphore }, { name, permits, ttl }) => semaphore.trySet(name, permits, ttl),
    'sem.tryAcquire': async ({ semaphore }, { name, permits }) =>
      (await semaphore.take(name, permits)).outcome === 'taken',
    'sem.release': ({ semaphore }, { name, permits }) => nothing(semaphore.release(name, permits)),
    'sem.releaseIfExists': ({ semaphore }, { name, permits }) => semaphore.releaseIfExists(name, permits),
    'sem.drain': ({ semaphore }, { name }) => semaphore.drain(name),
    'sem.addPermits': ({ semaphore }, { name, permits }) => nothing(semaphore.add(name, permits)),
  },
  { M12: { why: 'a number below zero is not published: the listeners of Redisson fail on it', messages: [] } },
);
