import type { AdapterTraits, Address, Opening } from './adapters/adapter.js';
import { nodeAdapters } from './adapters/index.js';
import { JavaParticipant, redisson } from './workers/java-participant.js';
import { NodeParticipant } from './workers/node-participant.js';
import type { Participant } from './workers/participant.js';
import { rehearse } from './workers/rehearsal.js';

/** A library, wherever it runs. */
export interface Library extends AdapterTraits {
  readonly name: string;
  readonly runtime: 'node' | 'java';
  start(address: Address, opening: Opening): Promise<Participant>;
}

export const OURS = 'nest-redis-lock';
export const LIMIT = 'raw';
export const REDISSON = 'redisson';

/** A JVM needs longer: cold, its first second of `fair` was 60 times slower. */
const NODE_REHEARSAL_MS = 1000;
const JVM_REHEARSAL_MS = 2500;

export const libraries: readonly Library[] = [
  ...[...nodeAdapters].map(([name, adapter]): Library => ({
    ...adapter,
    name,
    runtime: 'node',
    start: async (address, opening) => {
      const participant = await NodeParticipant.start(name, address, opening);
      await rehearse(participant, adapter, NODE_REHEARSAL_MS);
      return participant;
    },
  })),
  {
    ...redisson,
    name: REDISSON,
    runtime: 'java',
    start: async (address, opening) => {
      const participant = await JavaParticipant.start(address, opening);
      await rehearse(participant, redisson, JVM_REHEARSAL_MS);
      return participant;
    },
  },
];

export function libraryNamed(name: string): Library {
  const library = libraries.find((candidate) => candidate.name === name);
  if (!library) throw new Error(`There is no adapter '${name}'`);
  return library;
}
