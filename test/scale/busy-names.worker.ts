import { setFlagsFromString } from 'node:v8';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import type { Hold } from '../../lib/holds/hold.js';
import { openClient } from '../kit/client.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , connection = ''] = process.argv;
const { locks, events } = openClient({ connection, maxQueue: 100_000 });
const holds: Hold[] = [];
/** The number of locks that are asked for in one turn of the event loop. */
const BURST = 500;
const RESOLUTION = 10;
const ends: string[] = [];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A process that holds many locks, and waits for many others. */
export const api = {
  hold: async (count: number, prefix: string): Promise<void> => {
    for (let from = 0; from < count; from += BURST) {
      const burst = Array.from({ length: BURST }, (_, index) => locks.acquire(`${prefix}:${from + index}`));
      holds.push(...(await Promise.all(burst)));
    }
  },
  /** Resolves when all have asked. */
  queueUp: async (count: number, prefix: string): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      void locks.acquire(`${prefix}:${index}`, { wait: '10m' }).then(
        () => ends.push('acquired'),
        (error: unknown) => ends.push(String(error)),
      );
      if (index % BURST === BURST - 1) await nextTurn();
    }
  },
  /** The longest delay of the event loop by this process alone, until `stop` is called, ms. */
  watchLoop: (): void => {
    delays.enable();
    used = process.cpuUsage();
  },
  watched: (): { readonly loopDelay: number; readonly processorMs: number } => {
    delays.disable();
    const { user, system } = process.cpuUsage(used);
    return { loopDelay: delays.max / 1e6 - RESOLUTION, processorMs: (user + system) / 1000 };
  },
  heap: (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  },
  /** How waits ended, and the events of holds and outages. */
  seen: (): readonly string[] => [
    ...ends,
    ...events.map(({ type }) => type).filter((type) => ['lost', 'unavailable', 'renewal-failed'].includes(type)),
  ],
};

const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
let used = process.cpuUsage();

serve(api);
