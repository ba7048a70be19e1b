import type { AdapterTraits, Address, OpenOptions } from './adapters/adapter.js';
import { nodeAdapters } from './adapters/index.js';
import { pin } from './set-up/pinning.js';
import type { Launch } from './set-up/set-up.js';
import { JavaParticipant, redisson } from './workers/java-participant.js';
import { NodeParticipant } from './workers/node-participant.js';
import type { Participant } from './workers/participant.js';
import { warmUp } from './workers/warm-up.js';

/** A library, in Node or in Java. */
export interface Library extends AdapterTraits {
  readonly name: string;
  readonly runtime: 'node' | 'java';
  start(address: Address, options: OpenOptions, launch: Launch): Promise<Participant>;
}

export const OURS = 'nest-redis-lock';
export const LIMIT = 'raw';
export const RAW_REDISSON = 'raw-redisson';
export const BEFORE = 'nest-redis-lock-before';
export const REDISSON = 'redisson';
export const UNOBSERVED = 'nest-redis-lock-unobserved';
/** This library with something attached that observes it. */
export const OBSERVED: readonly string[] = [
  'nest-redis-lock-prometheus',
  'nest-redis-lock-opentelemetry',
  'nest-redis-lock-records',
];

/** A JVM needs longer: without it, its first second of `fair` was 60 times slower. */
const NODE_WARM_UP_MS = 1000;
const JVM_WARM_UP_MS = 2500;

export const libraries: readonly Library[] = [
  ...[...nodeAdapters].map(([name, adapter]): Library => ({
    ...adapter,
    name,
    runtime: 'node',
    start: async (address, options, { node, core, isCold = false }) => {
      const participant = await NodeParticipant.start(name, address, options, node);
      if (core !== undefined) pin(participant.pid, core);
      if (!isCold) await warmUp(participant, adapter, NODE_WARM_UP_MS);
      return participant;
    },
  })),
  {
    ...redisson,
    name: REDISSON,
    runtime: 'java',
    start: async (address, options, { core }) => {
      const participant = await JavaParticipant.start(address, options);
      if (core !== undefined) pin(participant.pid, core);
      await warmUp(participant, redisson, JVM_WARM_UP_MS);
      return participant;
    },
  },
];

export function libraryNamed(name: string): Library {
  const library = libraries.find((candidate) => candidate.name === name);
  if (!library) throw new Error(`There is no adapter '${name}'`);
  return library;
}
