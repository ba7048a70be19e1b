import type { MonotonicScheduler } from '../../time/scheduler.js';
import { RedisBackend, type RedisBackendSettings } from '../redis-backend.js';
import { MemoryServer } from './memory-server.js';
import { memoryTransport } from './memory-transport.js';

interface MemoryBackendSettings extends RedisBackendSettings {
  /** Milliseconds. Nothing is late in memory, but deadlines are computed from it. */
  readonly commandTimeout: number;
}

/** The backend of one client of a server in this process. @param server Default: one of its own. */
export const memoryBackend = (
  settings: MemoryBackendSettings,
  scheduler: MonotonicScheduler,
  server = new MemoryServer(scheduler),
): RedisBackend => new RedisBackend(memoryTransport(server, settings.commandTimeout), settings, scheduler);
