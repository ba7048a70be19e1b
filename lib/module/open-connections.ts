import { Logger } from '@nestjs/common';
import { allSettled } from '../concurrency.js';
import { logEvents } from '../events/event-log.js';
import { DEFAULT_CONNECTION_NAME } from '../locks/options/connection-choice.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import type { OwnedRuntime } from './runtime.factory.js';
import type { ShutdownDrain } from './shutdown-drain.js';

/**
 * Opens and probes all connections concurrently, so that none waits for another, and logs their events. Not in a file with
 * the life cycle of the module: `createLocks()` in a bundle needs no `@nestjs/core`.
 * @throws LockUnavailableError, LockUnsafeError, after all are closed again.
 */
export const openConnections = async (
  { all, byName }: ConnectionRegistry<OwnedRuntime>,
  draining: ShutdownDrain,
): Promise<void> => {
  const logs = new Map([...byName].map(([name, runtime]) => [runtime, loggerOf(name)]));
  const probing = all.map((runtime) => {
    const log = logs.get(runtime) ?? loggerOf(undefined);
    logEvents(runtime.events, log);
    runtime.open();
    return runtime.probe.run(log);
  });
  try {
    await allSettled(probing);
  } catch (error) {
    // No shutdown follows a failed start: Nest calls no hooks, and createLocks() returns nothing to close.
    await draining.closeWithin(0);
    throw error;
  }
};

/** The logger context contains the connection's name, except for the default connection. */
export const loggerOf = (connection: string | undefined): Logger =>
  new Logger(
    connection === undefined || connection === DEFAULT_CONNECTION_NAME
      ? 'RedisLockModule'
      : `RedisLockModule:${connection}`,
  );
