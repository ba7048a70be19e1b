import { allSettled } from '../concurrency.js';
import { type LockLogger, logEvents } from '../events/event-log.js';
import { DEFAULT_CONNECTION_NAME } from '../locks/options/connection-choice.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';
import type { OwnedRuntime } from './runtime.factory.js';
import type { ShutdownDrain } from './shutdown-drain.js';

/** Returns the logger of a connection, which names it unless it is the only one. */
export type LoggerOf = (connection: string | undefined) => LockLogger;

/**
 * Opens and probes all connections concurrently, so that none waits for another, and logs their events. Not in a file with
 * the life cycle of the module: `createLocks()` needs no Nest.
 * @throws LockUnavailableError, LockUnsafeError, after all are closed again.
 */
export const openConnections = async (
  { all, byName }: ConnectionRegistry<OwnedRuntime>,
  draining: ShutdownDrain,
  loggerOf: LoggerOf,
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

/** Names a connection after the word for the library, except for the default connection. */
export const named = (library: string, connection: string | undefined): string =>
  connection === undefined || connection === DEFAULT_CONNECTION_NAME ? library : `${library}:${connection}`;
