import { counterTable } from '../../../lib/backend/memory/counters.js';
import type { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { MemoryTable } from '../../../lib/backend/memory/memory-store.js';
import { scripts } from '../../../lib/backend/redis/scripts/scripts.generated.js';
import type { ServerNow } from './lock-scripts.js';
import type { ScriptTable } from './script-table.js';
import type { SimulatedStore } from './simulated-store.js';

/** A request that was executed: its answer, and the permits to release if no client learns of it. */
interface Marker<Outcome extends string> {
  readonly outcome: Outcome;
  readonly permits: number;
}

/** Answers by idempotency key, so that a request has one effect even if it is executed again. */
class Markers<Outcome extends string> {
  private readonly table: MemoryTable<Marker<Outcome>>;

  constructor(store: SimulatedStore) {
    this.table = new MemoryTable(store, 'string of a marker');
  }

  find(marker: string): Marker<Outcome> | undefined {
    return this.table.find(marker);
  }

  set(marker: string, outcome: Outcome, keep: number, permits = 0): void {
    this.table.set(marker, { outcome, permits }, keep);
  }
}

/** The scripts of semaphores, latches and plain numbers. */
export const defineCounters = (
  table: ScriptTable,
  store: SimulatedStore,
  { semaphore: semaphores, countDownLatch: latches }: MemoryBackend,
  now: ServerNow,
): void => {
  const takes = new Markers<'taken'>(store);
  const releases = new Markers<'released' | 'not-set'>(store);
  const counted = new Markers<'counted' | 'open'>(store);
  const settings = new Markers<'set' | 'exists'>(store);
  const counts = counterTable(store);
  const { semaphore, latch, counter } = scripts;

  table.define(semaphore.take, async ({ semaphore: name, marker }, { permits, keep, notAfter }) => {
    if (now() > notAfter) return ['late', '', now(), 0];
    const before = await semaphores.count(name);
    if (takes.find(marker)) return ['taken', '', now(), before];
    const reply = await semaphores.take(name, permits);
    if (reply.outcome === 'too-few') return [reply.isSet ? 'too-few' : 'not-set', '', now(), reply.available];
    takes.set(marker, 'taken', keep, permits);
    return ['taken', '', now(), reply.available];
  });
  table.define(semaphore.undo, async ({ semaphore: name, marker }) => {
    const taken = takes.find(marker);
    if (!taken) return ['nothing', now()];
    store.delete(marker);
    return [(await semaphores.releaseIfExists(name, taken.permits)) ? 'undone' : 'nothing', now()];
  });
  table.define(semaphore.release, async ({ semaphore: name, marker }, { permits, create, keep, notAfter }) => {
    if (now() > notAfter) return ['late', '', now(), 0];
    const before = await semaphores.count(name);
    const answered = releases.find(marker);
    if (answered) return [answered.outcome, '', now(), before];
    const isMissing = counts.find(name) === undefined;
    const outcome = isMissing && create === 0 ? 'not-set' : 'released';
    if (outcome === 'released') await semaphores.release(name, permits);
    releases.set(marker, outcome, keep);
    return [outcome, '', now(), outcome === 'released' ? before + permits : 0];
  });
  table.define(latch.countDown, async ({ latch: name, marker }, { keep, notAfter }) => {
    if (now() > notAfter) return ['late', '', now()];
    const answered = counted.find(marker);
    if (answered) return [answered.outcome, '', now()];
    const outcome = counts.find(name) === undefined ? 'open' : 'counted';
    await latches.countDown(name);
    counted.set(marker, outcome, keep);
    return [outcome, '', now()];
  });
  table.define(counter.trySet, async ({ counter: name, marker }, { count, ttl, channel, keep, notAfter }) => {
    if (now() > notAfter) return ['late', '', now()];
    const answered = settings.find(marker);
    if (answered) return [answered.outcome, '', now()];
    const outcome = counts.find(name) === undefined ? 'set' : 'exists';
    settings.set(marker, outcome, keep);
    if (outcome === 'exists') return [outcome, '', now()];
    counts.set(name, count, ttl > 0 ? ttl : Number.POSITIVE_INFINITY);
    store.publish(channel);
    return [outcome, '', now()];
  });
  table.define(counter.inspect, async ({ counter: name }) => {
    const count = counts.find(name);
    return [count === undefined ? 'none' : 'set', '', String(count ?? 0), store.remaining(name)];
  });
  table.define(counter.forget, async ({ marker }) => [store.delete(marker) ? 1 : 0]);
};
