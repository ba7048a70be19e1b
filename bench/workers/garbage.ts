import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Memory } from './tasks.js';

/** Memory in use after a garbage collection. */
export function memoryInUse(): Memory {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Each round collects what finalizers released in the round before.
  for (let round = 0; round < 3; round++) collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}
