import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Memory } from './tasks.js';

/** What is used once the garbage is gone. */
export function memoryInUse(): Memory {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What finalizers let go of is collected in the next round.
  for (let round = 0; round < 3; round++) collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}
