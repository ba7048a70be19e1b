import type { RedisLockOptions } from '../module/options/redis-lock.options.js';
import { createLocks, type Locks } from '../module/create-locks.js';
import { type RedisPlace, connectionOf } from './redis-place.js';

/** Longest time for one command, ms: the longest that is allowed, because the server may be far away. */
const COMMAND_TIMEOUT_MS = 2000;

const SILENT = { log: () => {}, warn: () => {}, error: () => {} };

/** Bytes; a longer name could hardly be an argument. */
const LONGEST_NAME = 100_000;

/** The options of the module that the options of the command line stand for. */
export const moduleOptionsOf = (choice: RedisPlace, environment: NodeJS.ProcessEnv): RedisLockOptions => ({
  connection: connectionOf(choice, environment),
  // Without a prefix all names are meant, so that none is missing.
  keyPrefix: choice.keyPrefix ?? '',
  commandTimeout: COMMAND_TIMEOUT_MS,
});

/**
 * Opens the connection that the options choose. The library logs nothing: what concerns the user is an error.
 * @throws CommandFailure, and what `createLocks()` throws.
 */
export const openLocks = (
  choice: RedisPlace,
  environment: NodeJS.ProcessEnv,
  options: RedisLockOptions = {},
): Promise<Locks> => {
  return createLocks({ ...moduleOptionsOf(choice, environment), ...options, logger: SILENT });
};

/** Does the work with a connection that is only read, or changed by single commands, and closes it. */
export const withLocks = async <T>(
  place: RedisPlace,
  environment: NodeJS.ProcessEnv,
  work: (locks: Locks) => Promise<T>,
): Promise<T> => {
  const locks = await openLocks(place, environment, {
    // The command itself finds out whether the server answers, and allows it.
    probe: false,
    // Others may have given any name.
    allowControlCharacters: true,
    maxNameBytes: LONGEST_NAME,
  });
  try {
    return await work(locks);
  } finally {
    await locks.close();
  }
};
