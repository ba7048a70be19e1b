import { setTimeout as sleep } from 'node:timers/promises';
import { between, commandStats, scriptUsage, sentByClients } from '../cost/server-commands.js';
import { within } from '../time-limit.js';
import { NodeParticipant } from '../workers/node-participant.js';
import type { Memory } from '../workers/tasks.js';
import type { Figures, Measurement } from './scenario.js';

export interface HeldLocks {
  readonly holds: number;
  /** Lease of each hold, ms. Holds are renewed long before its end. */
  readonly renewedLease: number;
  /** Time for which they are observed after they were acquired. */
  readonly watchMs: number;
}

const ACQUIRE_LIMIT_MS = 90_000;
const SETTLE_MS = 1000;
const MS_PER_S = 1000;

/** Measures the cost of many locks that one new process holds. */
export async function measureHeldLocks(
  { world, library, key }: Measurement,
  { holds, renewedLease, watchMs }: HeldLocks,
): Promise<Figures> {
  await world.pool.stopAll();
  await world.observer.flushdb();
  const [holder] = await world.pool.get({ adapter: library.name, renewedLease }, 1);
  if (holder === undefined) throw new Error('There is no process');
  const node = holder instanceof NodeParticipant ? holder : undefined;

  const memoryBefore = await node?.ask('memory');
  const acquireMs = await within(
    ACQUIRE_LIMIT_MS,
    holder.ask('hold', { prefix: key, count: holds }),
    async () => `Only ${await world.observer.dbsize()} of ${holds} locks were held after ${ACQUIRE_LIMIT_MS} ms`,
  );
  const memoryAfter = await node?.ask('memory');
  await sleep(SETTLE_MS);

  const before = await commandStats(world.observer);
  const [loop] = await Promise.all([node?.ask('loopDelay', { ms: watchMs }), sleep(watchMs)]);
  const done = between(before, await commandStats(world.observer));
  // The database contains nothing else.
  const left = await world.observer.dbsize();
  const noticed = (await node?.ask('losses')) ?? 0;
  await world.pool.stop(library.name);
  await world.observer.flushdb();
  return {
    commands: sentByClients(done).calls / (watchMs / MS_PER_S),
    serverUsec: scriptUsage(done).usec / (watchMs / MS_PER_S) / holds,
    lost: Math.max(holds - left, noticed),
    loopP99: loop?.p99 ?? Number.NaN,
    loopMax: loop?.max ?? Number.NaN,
    acquireMs,
    heapEach: eachOf('heap', holds, memoryBefore, memoryAfter),
    rssEach: eachOf('rss', holds, memoryBefore, memoryAfter),
  };
}

function eachOf(kind: keyof Memory, holds: number, before: Memory | undefined, after: Memory | undefined): number {
  return before && after ? (after[kind] - before[kind]) / holds : Number.NaN;
}
