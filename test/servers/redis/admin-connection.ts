import { Redis } from 'ioredis';

/**
 * ioredis destroys a connection that has not closed by then. The timer for that goes on, and keeps the process alive, where the
 * server closed the connection first: with the 2 s that ioredis waits by default, jest kills its workers meanwhile.
 */
export const DISCONNECT_TIMEOUT_MS = 50;

/** A connection of the test's own, past the library. That its server is killed on purpose is no error. */
export const connectAdmin = (url: string): Redis =>
  new Redis(url, { disconnectTimeout: DISCONNECT_TIMEOUT_MS }).on('error', () => {});
