import { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import { memoryTransport } from '../../lib/backend/memory/memory-transport.js';
import { RedisBackend } from '../../lib/backend/redis-backend.js';
import type { MonotonicScheduler } from '../../lib/time/scheduler.js';

const COMMAND_TIMEOUT = 1000;

/** The backend of one client of a memory. @param server Default: one of its own. */
export const memoryBackend = (scheduler: MonotonicScheduler, server = new MemoryServer(scheduler)): RedisBackend =>
  new RedisBackend(memoryTransport(server, COMMAND_TIMEOUT), {}, scheduler);
