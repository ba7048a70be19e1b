import { setTimeout as sleep } from 'node:timers/promises';
import { between, commandStats, scriptUsage, sentByClients } from '../server-commands.js';
import { within } from '../time-limit.js';
import { NodeParticipant } from '../workers/node-participant.js';
import type { Memory } from '../workers/tasks.js';
import type { Figures, Measurement } from './scenario.js';

export interface HeldLocks {
  readonly holds: number;
  /** Of each hold, ms; renewed long before. */
  readonly watchdogTimeout: number;
  /** For how long they are watched after they were acquired. */
  readonly watchMs: number;
}

const ACQUIRE_LIMIT_MS = 90_000;
const SETTLE_MS = 1000;
const MS_PER_S = 1000;

/** One new process that holds many locks, and what keeping them takes. */
export async function keepLocks(
  { stage, library, key }: Measurement,
  { holds, watchdogTimeout, watchMs }: HeldLocks,
): Promise<Figures> {
  await stage.cast.dismissAll();
  await stage.observer.flushdb();
  const [holder] = await stage.cast.take({ adapter: library.name, watchdogTimeout }, 1);
  if (holder === undefined) throw new Error('There is no process');
  const node = holder instanceof NodeParticipant ? holder : undefined;

  const memoryBefore = await node?.ask('memory');
  const acquireMs = await within(
    ACQUIRE_LIMIT_MS,
    holder.ask('hold', { prefix: key, count: holds }),
    async () => `Only ${await stage.observer.dbsize()} of ${holds} locks were held after ${ACQUIRE_LIMIT_MS} ms`,
  );
  const memoryAfter = await node?.ask('memory');
  await sleep(SETTLE_MS);

  const before = await commandStats(stage.observer);
  const [loop] = await Promise.all([node?.ask('loopDelay', { ms: watchMs }), sleep(watchMs)]);
  const done = between(before, await commandStats(stage.observer));
  // Nothing else is in the database.
  const left = await stage.observer.dbsize();
  const noticed = (await node?.ask('losses')) ?? 0;
  await stage.cast.dismiss(library.name);
  await stage.observer.flushdb();
  return {
    commands: sentByClients(done) / (watchMs / MS_PER_S),
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
