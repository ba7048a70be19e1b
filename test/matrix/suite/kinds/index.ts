import type { Cells } from '../cell.js';

/** Loaded by name, so that a process has only those packages that its kinds need. */
export const kinds: Readonly<Record<string, () => Promise<Cells>>> = {
  provider: async () => (await import('./provider.js')).cells,
  express: async () => (await import('./express.js')).cells,
  fastify: async () => (await import('./fastify.js')).cells,
  tcp: async () => (await import('./tcp.js')).cells,
  'redis-transport': async () => (await import('./redis-transport.js')).cells,
  'socket-io': async () => (await import('./socket-io.js')).cells,
  ws: async () => (await import('./ws.js')).cells,
  schedule: async () => (await import('./schedule.js')).cells,
  events: async () => (await import('./events.js')).cells,
  cqrs: async () => (await import('./cqrs.js')).cells,
  graphql: async () => (await import('./graphql/index.js')).cells,
  wiring: async () => (await import('./wiring.js')).cells,
  instances: async () => (await import('./instances.js')).cells,
  openapi: async () => (await import('./openapi.js')).cells,
  bullmq: async () => (await import('./bullmq.js')).cells,
};
