import type { Cells } from '../cell.js';

/** Loaded by name, so that a process has only those packages that its kinds need. */
export const kinds: Readonly<Record<string, () => Promise<Cells>>> = {
  provider: async () => (await import('./provider.js')).cells,
  express: async () => (await import('./express.js')).cells,
  fastify: async () => (await import('./fastify.js')).cells,
};
