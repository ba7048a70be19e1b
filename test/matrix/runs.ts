/** One process in each environment. */
export interface Run {
  /** A name of suite/kinds/index.ts. */
  readonly kinds: string;
  /** Where the locks live. */
  readonly backend: 'memory' | 'redis';
  readonly needsServer: boolean;
  /** Only kinds of method with this in their name. */
  readonly wanted?: string | undefined;
}

const inMemory = (kinds: string): Run => ({ kinds, backend: 'memory', needsServer: false });
const onServer = (kinds: string): Run => ({ kinds, backend: 'redis', needsServer: true });

export const runs: readonly Run[] = [
  inMemory('provider'),
  inMemory('express'),
  inMemory('fastify'),
  onServer('provider'),
  onServer('express'),
];
