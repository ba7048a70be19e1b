import { LockService } from '../lock.service.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import { systemScheduler } from '../time/scheduler.js';
import { loggerOf, openConnections } from './open-connections.js';
import { parseModuleOptions, type RedisLockOptions } from './options/redis-lock.options.js';
import { createConnections, loadRuntimes, type OwnedRuntime } from './runtime.factory.js';
import { ShutdownDrain } from './shutdown-drain.js';

/** A {@link LockService} with connections of its own, made by {@link createLocks}. */
export interface Locks extends LockService, AsyncDisposable {
  /**
   * Shuts down as an application does: refuses new acquisitions, rejects waiters, gives holders most of
   * `shutdownTimeout`, aborts their signals and closes the library's own connections. Never rejects; further calls
   * resolve with the first.
   */
  close(): Promise<void>;

  /** `await using locks = …` closes at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>;
}

class StandaloneLocks extends LockService implements Locks {
  private closing: Promise<void> | undefined;

  constructor(
    connections: ConnectionRegistry<OwnedRuntime>,
    private readonly draining: ShutdownDrain,
  ) {
    super(connections.base, connections);
  }

  close(): Promise<void> {
    return (this.closing ??= this.shutDown());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async shutDown(): Promise<void> {
    await this.draining.drain();
    await this.draining.close();
  }
}

/**
 * A {@link LockService} outside Nest's container, for scripts, workers and migrations. Opens and checks the connections
 * as the start of an application does. Its open connections keep the process running until it is closed. `@Locked` needs
 * an application.
 *
 * @param options As for `RedisLockModule.forRoot()`.
 * @throws LockOptionsError, and what `probe` finds: LockUnavailableError if a server refuses the connection
 *   permanently, LockUnsafeError if locks could not be trusted there.
 *
 * @example
 * await using locks = await createLocks({ connection: 'redis://redis:6379' });
 * await locks.withLock('migrations', () => migrate());
 */
export const createLocks = async (options: RedisLockOptions = {}): Promise<Locks> => {
  const settings = parseModuleOptions(options);
  const connections = createConnections(settings, systemScheduler, await loadRuntimes(settings));
  const draining = new ShutdownDrain(connections, settings.shutdownTimeout, loggerOf(undefined));
  await openConnections(connections, draining);
  return new StandaloneLocks(connections, draining);
};
