import type { ClusterInput } from './cluster/cluster-input.js';
import { hostOf, portOf } from './cluster/cluster-servers.js';
import type { ServerTarget } from './connection/target.js';
import { LockOptionsError } from '../errors.js';
import { type DriverName, DRIVER_NAMES, driverNamed, installedDriver } from './driver/drivers.js';
import type { RedisDriver } from './driver/redis-driver.js';
import type { ServerOptions } from './driver/server-options.js';
import { isCluster, type RedisTarget, redisTarget, serverTarget } from './redis-target.js';
import { namesOf } from '../validation/options.js';

/** Where locks are, as plain data that another thread can be given. */
export interface PlainTarget<Input extends ServerOptions | ClusterInput = ServerOptions | ClusterInput> {
  readonly input: Input;
  /** Absent: the library that is installed. */
  readonly driver: DriverName | undefined;
}

/** The options that say where a server is and as whom to log in. The others of a client have no effect here. */
const OPTIONS = namesOf<ServerOptions>()(
  'host',
  'port',
  'path',
  'family',
  'username',
  'password',
  'db',
  'tls',
  'keyPrefix',
  'sentinels',
  'name',
  'sentinelUsername',
  'sentinelPassword',
  'sentinelTLS',
  'enableTLSForSentinelMode',
  'natMap',
);

const isPlain = (value: unknown): boolean => {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
};

/** Never shows the value: it may be a key or a password. */
const plain = (name: string, value: unknown): unknown => {
  if (isPlain(value)) return value;
  throw new LockOptionsError(
    `renewIn: the connection has "${name}" with a function in it, which a worker thread cannot be given; ` +
      'give it as plain data, or renew in the main thread',
    { details: { option: 'renewIn' } },
  );
};

const plainOptions = (options: ServerOptions): ServerOptions =>
  Object.fromEntries([...OPTIONS].map((name) => [name, plain(name, options[name])]));

const nameOf = (driver: RedisDriver): DriverName | undefined =>
  driver === installedDriver ? undefined : DRIVER_NAMES.find((name) => name === driver.name);

/** @throws LockOptionsError if an option has a function in it. */
export const plainServer = ({ options, driver }: ServerTarget): PlainTarget<ServerOptions> => ({
  input: plainOptions(options),
  driver: nameOf(driver),
});

/** @throws LockOptionsError if an option has a function in it. */
export const plainTarget = (target: RedisTarget): PlainTarget => {
  if (!isCluster(target)) return plainServer(target);
  const { seeds, options, natMap, driver } = target;
  const { keyPrefix, ...redisOptions } = plainOptions(options);
  plain('natMap', natMap);
  return {
    input: {
      cluster: seeds.map((seed) => ({ host: hostOf(seed), port: portOf(seed) })),
      redisOptions,
      natMap,
      keyPrefix,
    },
    driver: nameOf(driver),
  };
};

const driverOf = ({ driver }: PlainTarget): RedisDriver =>
  driver === undefined ? installedDriver : driverNamed(driver);

export const targetOf = (target: PlainTarget): RedisTarget => redisTarget(target.input, driverOf(target));

export const serverOf = (target: PlainTarget<ServerOptions>): ServerTarget =>
  serverTarget(target.input, driverOf(target));
