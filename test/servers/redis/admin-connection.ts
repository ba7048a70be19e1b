import { Redis } from 'ioredis';

/**
 * ioredis destroys a connection that has not closed after this time. If the server closes first, the timer for that
 * goes on and keeps the process alive: for the 2 s of the default, in which jest kills its workers.
 */
export const DISCONNECT_TIMEOUT_MS = 50;

/** Opens a connection of the test's own. Its errors are ignored, because tests kill servers on purpose. */
export const connectAdmin = (url: string): Redis =>
  new Redis(url, { disconnectTimeout: DISCONNECT_TIMEOUT_MS }).on('error', () => {});
