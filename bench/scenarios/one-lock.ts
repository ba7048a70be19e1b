import { contentionFigures } from '../figures/contention.js';
import { costEach, costOf } from '../cost/cost.js';
import { now, NS_PER_MS } from '../workers/clock.js';
import { NodeParticipant } from '../workers/node-participant.js';
import type { Participant } from '../workers/participant.js';
import { readTimelines } from '../workers/timeline.js';
import type { Figures, Measurement } from './scenario.js';

export interface OneLock {
  readonly processes: number;
  readonly loopsEach: number;
  readonly sectionMs?: number;
  readonly fair?: boolean;
  readonly counter?: string;
  /** Whether each loop has a client with connections of its own. Only libraries in Node can do that. */
  readonly ownClients?: boolean;
}

/** Time for the request to reach all processes before their loops begin. */
const LEAD_MS = 100;

/** Runs loops of several processes on one lock. Ends the processes if loops are stuck. */
export async function contendForOneLock(
  { world, library, key }: Measurement,
  { processes, loopsEach, sectionMs = 0, fair = false, counter, ownClients = false }: OneLock,
): Promise<Figures & { readonly acquired: number }> {
  const participants = await world.pool.get({ adapter: library.name, ...(fair ? { fair } : {}) }, processes);
  if (ownClients) await openClients(participants, loopsEach);
  const observed = { ...library, observer: world.observer, clients: participants };
  const start = now() + LEAD_MS * NS_PER_MS;
  const from = start + world.settings.warmUpMs * NS_PER_MS;
  const to = from + world.settings.ms * NS_PER_MS;
  const files = participants.map(() => world.newFile());
  const [done, cost] = await costOf(observed, () =>
    Promise.all(
      participants.map((participant, index) =>
        participant.ask('contend', {
          ...{ key, loops: loopsEach, ownClients, start, end: to, sectionMs, file: files[index] ?? '' },
          ...(counter === undefined ? {} : { counter }),
        }),
      ),
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
  return { ...figures, ...costEach(cost, acquisitions.length), failures, stuck, acquired: acquisitions.length };
}

async function openClients(participants: readonly Participant[], count: number): Promise<void> {
  await Promise.all(
    participants.map((participant) => {
      if (!(participant instanceof NodeParticipant)) throw new Error('Only Node opens several clients');
      return participant.ask('openClients', { count });
    }),
  );
}
