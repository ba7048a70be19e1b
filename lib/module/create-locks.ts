import type { LockLogger } from '../events/event-log.js';
import { LockService } from '../lock.service.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import { systemScheduler } from '../time/scheduler.js';
import { invalidOption } from '../validation/options.js';
import { refuseOtherThanOptions } from './options/misplaced-options.js';
import { type LoggerOf, named, openConnections } from './open-connections.js';
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

/** Options of {@link createLocks}. */
export interface CreateLocksOptions extends RedisLockOptions {
  /** Receives what an application would find in Nest's log, each line with the name of the library. Default: `console`. */
  readonly logger?: LockLogger | undefined;
}

const WRITES = ['log', 'warn', 'error'] as const;

const parseLogger = (logger: LockLogger = console): LoggerOf => {
  if (typeof logger !== 'object' || logger === null || WRITES.some((write) => typeof logger[write] !== 'function'))
    throw invalidOption('logger', logger, 'an object with the methods log, warn and error, such as console');
  return (connection) => {
    const line = (message: string): string => `[${named('nest-redis-lock', connection)}] ${message}`;
    return {
      log: (message) => logger.log(line(message)),
      warn: (message) => logger.warn(line(message)),
      error: (message, stack) =>
        stack === undefined ? logger.error(line(message)) : logger.error(line(message), stack),
    };
  };
};

/**
 * A {@link LockService} outside Nest's container, for scripts, workers and migrations. Opens and checks the connections
 * as the start of an application does. Its open connections keep the process running until it is closed. `@Locked` needs
 * an application.
 *
 * @param options As for `RedisLockModule.forRoot()`, and a logger.
 * @throws LockOptionsError, and what `probe` finds: LockUnavailableError if a server refuses the connection
 *   permanently, LockUnsafeError if locks could not be trusted there.
 *
 * @example
 * await using locks = await createLocks({ connection: 'redis://redis:6379' });
 * await locks.withLock('migrations', () => migrate());
 */
export const createLocks = async (options: CreateLocksOptions = {}): Promise<Locks> => {
  refuseOtherThanOptions(options);
  const { logger, ...ofModule } = options;
  const [loggerOf, settings] = [parseLogger(logger), parseModuleOptions(ofModule)];
  const connections = createConnections(settings, systemScheduler, await loadRuntimes(settings));
  const draining = new ShutdownDrain(connections, settings.shutdownTimeout, loggerOf(undefined));
  await openConnections(connections, draining, loggerOf);
  return new StandaloneLocks(connections, draining);
};
