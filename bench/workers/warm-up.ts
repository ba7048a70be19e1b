import { devNull } from 'node:os';
import type { AdapterTraits } from '../adapters/adapter.js';
import { now, NS_PER_MS } from './clock.js';
import type { Participant } from './participant.js';

const LOOPS = 25;

/**
 * Uses a library without and with contention before anything is measured: V8 and the JVM are slow until they have
 * compiled the code.
 * @param ms Duration of each of the two.
 */
export async function warmUp(participant: Participant, { waiting }: AdapterTraits, ms: number): Promise<void> {
  const key = `bench:warm-up:${participant.pid}`;
  await participant.ask('pairs', { key, warmUpMs: 0, ms });
  if (waiting === 'none') return;
  const start = now();
  const end = start + ms * NS_PER_MS;
  await participant.ask('contend', { key, loops: LOOPS, start, end, sectionMs: 0, file: devNull });
}
