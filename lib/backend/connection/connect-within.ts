import { onAbort } from '../../time/abort-listeners.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { ConnectTerms, DriverConnection, DriverListener, RedisDriver } from '../driver/redis-driver.js';
import type { ServerOptions } from '../driver/server-options.js';
import { silent } from './silence-guard.js';

/**
 * Connects to a server that may accept the socket and then be silent: the login may take as long again as the socket.
 * @throws The reason why there is no connection.
 */
export const connectWithin = async (
  driver: RedisDriver,
  server: ServerOptions,
  { timeout, signal }: ConnectTerms,
  listener: DriverListener,
  scheduler: MonotonicScheduler,
): Promise<DriverConnection> => {
  signal.throwIfAborted();
  const attempt = new AbortController();
  const abort = (): void => attempt.abort();
  const unlisten = onAbort(signal, abort);
  const guard = scheduler.schedule(2 * timeout, abort);
  try {
    return await driver.connect(server, { timeout, signal: attempt.signal }, listener);
  } catch (error) {
    throw attempt.signal.aborted && !signal.aborted ? silent(2 * timeout) : error;
  } finally {
    guard.cancel();
    unlisten();
  }
};
