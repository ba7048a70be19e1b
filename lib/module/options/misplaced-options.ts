import { isGivenClient, isGivenCluster } from '../../backend/driver/given-client.js';
import { KNOWN_OPTIONS } from '../../backend/driver/server-options.js';
import { LockOptionsError } from '../../errors.js';
import { SERVICE_WORK_OPTIONS } from '../../locks/options/lock.options.js';
import { invalidOption, type OptionsPlace } from '../../validation/options.js';

const BESIDE_FACTORY = 'beside useFactory, useClass or useExisting in forRootAsync(), not in what they return';
const IN_CONNECTION = 'in connection, such as connection: { host, port, password } or a redis:// URL';
const WHERE_LOCKED = 'where something is locked: @Locked, acquire, withLock';

const atOnePlace = (names: Iterable<string>, place: string): Record<string, string> =>
  Object.fromEntries(Array.from(names, (name) => [name, place]));

/** Where options belong that users often give to the module. */
export const OPTIONS_OF_MODULE: OptionsPlace = {
  of: 'RedisLockModule',
  elsewhere: {
    isGlobal: BESIDE_FACTORY,
    exceptionFilter: BESIDE_FACTORY,
    ...atOnePlace([...KNOWN_OPTIONS, 'cluster', 'url'], IN_CONNECTION),
    ...atOnePlace(SERVICE_WORK_OPTIONS, WHERE_LOCKED),
    logger: 'in createLocks(); an application has the logger of Nest',
    nodes: 'in redLock: { nodes: [connection, connection, connection] }',
  },
};

const THE_OPTIONS = 'the options of RedisLockModule';

const kindOf = (options: unknown): string | undefined => {
  if (typeof options === 'string') return 'text';
  if (Array.isArray(options)) return 'a list';
  return isGivenClient(options) || isGivenCluster(options) ? 'a client' : undefined;
};

/**
 * Refuses what forRoot(), a factory and createLocks() are given in place of options. A URL or a client is not shown: it
 * may have a password in it.
 * @throws LockOptionsError
 */
export const refuseOtherThanOptions = (options: unknown): void => {
  const kind = kindOf(options);
  if (kind !== undefined) {
    const why = `${THE_OPTIONS} must be an object, not ${kind}; give a URL or a client as { connection: … }`;
    throw new LockOptionsError(why, { details: { option: 'connection' } });
  }
  // A factory that forgets to return its options would connect to the default server.
  if (typeof options !== 'object' || options === null)
    throw invalidOption(THE_OPTIONS, options, 'an object, such as {}');
};
