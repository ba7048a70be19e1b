import { contentionFigures } from '../figures/contention.js';
import { now, NS_PER_MS } from '../workers/clock.js';
import { readTimelines } from '../workers/timeline.js';
import type { Figures, Measurement } from './scenario.js';

export interface OneLock {
  readonly processes: number;
  readonly loopsEach: number;
  readonly sectionMs?: number;
  readonly fair?: boolean;
  readonly counter?: string;
}

/** Time for the request to reach all processes before their loops begin. */
const LEAD_MS = 100;

/** Runs loops of several processes on one lock. Ends the processes if loops are stuck. */
export async function contendForOneLock(
  { world, library, key }: Measurement,
  { processes, loopsEach, sectionMs = 0, fair = false, counter }: OneLock,
): Promise<Figures & { readonly acquired: number }> {
  const participants = await world.pool.get({ adapter: library.name, ...(fair ? { fair } : {}) }, processes);
  const start = now() + LEAD_MS * NS_PER_MS;
  const from = start + world.settings.warmUpMs * NS_PER_MS;
  const to = from + world.settings.ms * NS_PER_MS;
  const files = participants.map(() => world.newFile());
  const done = await Promise.all(
    participants.map((participant, index) =>
      participant.ask('contend', {
        ...{ key, loops: loopsEach, start, end: to, sectionMs, file: files[index] ?? '' },
        ...(counter === undefined ? {} : { counter }),
      }),
    ),
  );
  const failures = done.reduce((sum, each) => sum + each.failures, 0);
  const stuck = done.reduce((sum, each) => sum + each.stuck, 0);
  if (failures > 0 || stuck > 0) {
    const first = done.find(({ firstFailure }) => firstFailure !== '')?.firstFailure ?? '';
    process.stderr.write(`    ${library.title}: ${failures} failures, ${stuck} stuck. ${first}\n`);
  }
  if (stuck > 0) await world.pool.stop(library.name);
  const acquisitions = readTimelines(files);
  const figures = contentionFigures(acquisitions, { processes, loopsEach, from, to });
  return { ...figures, failures, stuck, acquired: acquisitions.length };
}
