import type { RedisBackend } from '../../lib/backend/redis-backend.js';
import type { LockService } from '../../lib/lock.service.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { openClient } from '../kit/client.js';
import { memoryBackend } from '../kit/memory-backend.js';

const CALLERS = 20;
const PERMITS = 3;

interface Kind {
  readonly title: string;
  readonly prepare?: (locks: LockService) => Promise<unknown>;
  /** Calls `work` with a grant, which ends when that resolves. */
  readonly take: (locks: LockService, work: () => Promise<void>) => Promise<unknown>;
  /** Replaces the operation that asks the server. */
  readonly count: (backend: RedisBackend, onAsked: () => void) => void;
  /** The number of requests of the callers, as when they were asked for one by one. */
  readonly asked: number;
}

const counting = <Args extends unknown[], Reply>(
  ask: (...args: Args) => Promise<Reply>,
  onAsked: () => void,
): ((...args: Args) => Promise<Reply>) => {
  return (...args) => {
    onAsked();
    return ask(...args);
  };
};

const kinds: readonly Kind[] = [
  {
    title: 'a limit',
    take: (locks, work) => locks.withLock('scarce', { limit: PERMITS, wait: '1h' }, work),
    count: ({ limit }, onAsked) => {
      limit.acquire = counting(limit.acquire.bind(limit), onAsked);
    },
    asked: 38,
  },
  {
    title: 'a semaphore',
    prepare: (locks) => locks.getSemaphore('scarce').trySetPermits(PERMITS),
    take: async (locks, work) => {
      const semaphore = locks.getSemaphore('scarce');
      await semaphore.acquire(1, { wait: '1h' });
      await work();
      await semaphore.release();
    },
    count: ({ semaphore }, onAsked) => {
      semaphore.take = counting(semaphore.take.bind(semaphore), onAsked);
    },
    asked: 21,
  },
  {
    title: 'permits with ids',
    prepare: (locks) => locks.getPermitExpirableSemaphore('scarce').trySetPermits(PERMITS),
    take: async (locks, work) => {
      const permit = await locks.getPermitExpirableSemaphore('scarce').acquire({ wait: '1h', lease: '1h' });
      await work();
      await permit.release();
    },
    count: ({ permitExpirableSemaphore: pool }, onAsked) => {
      pool.acquire = counting(pool.acquire.bind(pool), onAsked);
    },
    asked: 38,
  },
];

describe(`${CALLERS} callers of one process with ${PERMITS} permits`, () => {
  it.each(kinds)('D72: ask no more often than one by one: $title', async ({ prepare, take, count, asked }) => {
    const clock = new ManualClock();
    const backend = memoryBackend(new MonotonicScheduler(clock, () => {}));
    let requests = 0;
    count(backend, () => (requests += 1));
    const client = openClient({ connection: 'memory' }, { scheduler: clock, backend: () => backend });
    await prepare?.(client.locks);
    const ends: (() => void)[] = [];
    const served: number[] = [];
    const taken = Array.from({ length: CALLERS }, (_, index) =>
      take(client.locks, () => {
        served.push(index);
        return new Promise((end) => ends.push(end));
      }),
    );
    for (let ended = 0; ended < CALLERS; ended += 1) {
      await clock.advance(10);
      expect(served).toHaveLength(Math.min(CALLERS, ended + PERMITS));
      ends.shift()?.();
    }
    await clock.advance(10);
    await Promise.all(taken);
    expect(served).toEqual(Array.from({ length: CALLERS }, (_, index) => index));
    expect(requests).toBe(asked);
    await client.close();
  });
});
