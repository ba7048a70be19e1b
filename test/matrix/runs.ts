/** Runs of one process in each environment. */
export interface Run {
  /** A name in suite/kinds/index.ts. */
  readonly kinds: string;
  /** The backend of the locks. */
  readonly backend: 'memory' | 'redis';
  readonly needsServer: boolean;
  /** Runs only kinds of method with this in their name. */
  readonly wanted?: string | undefined;
}

const inMemory = (kinds: string): Run => ({ kinds, backend: 'memory', needsServer: false });
/** A run with a server that the kinds themselves need. */
const besideServer = (kinds: string): Run => ({ kinds, backend: 'memory', needsServer: true });
const onServer = (kinds: string): Run => ({ kinds, backend: 'redis', needsServer: true });

export const runs: readonly Run[] = [
  inMemory('provider'),
  inMemory('wiring'),
  inMemory('instances'),
  inMemory('express'),
  inMemory('fastify'),
  inMemory('openapi'),
  inMemory('graphql'),
  inMemory('tcp'),
  besideServer('redis-transport'),
  inMemory('socket-io'),
  inMemory('ws'),
  inMemory('schedule'),
  besideServer('bullmq'),
  inMemory('events'),
  inMemory('cqrs'),
  onServer('provider'),
  onServer('express'),
  onServer('bullmq'),
];
