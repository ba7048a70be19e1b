import type { AdapterTraits, Address, Opening } from './adapters/adapter.js';
import { nodeAdapters } from './adapters/index.js';
import { JavaParticipant, redisson } from './workers/java-participant.js';
import { NodeParticipant } from './workers/node-participant.js';
import type { Participant } from './workers/participant.js';

/** A library, wherever it runs. */
export interface Library extends AdapterTraits {
  readonly name: string;
  readonly runtime: 'node' | 'java';
  start(address: Address, opening: Opening): Promise<Participant>;
}

export const OURS = 'nest-redis-lock';
export const LIMIT = 'raw';
export const REDISSON = 'redisson';

export const libraries: readonly Library[] = [
  ...[...nodeAdapters].map(([name, adapter]): Library => ({
    ...adapter,
    name,
    runtime: 'node',
    start: (address, opening) => NodeParticipant.start(name, address, opening),
  })),
  {
    ...redisson,
    name: REDISSON,
    runtime: 'java',
    start: (address, opening) => JavaParticipant.start(address, opening),
  },
];

export function libraryNamed(name: string): Library {
  const library = libraries.find((candidate) => candidate.name === name);
  if (!library) throw new Error(`There is no adapter '${name}'`);
  return library;
}
