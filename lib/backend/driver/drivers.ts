import { ioredisDriver, loadIoredis } from './ioredis-driver.js';
import { loadNodeRedis, nodeRedisDriver } from './node-redis-driver.js';
import { MissingClientError, type RedisDriver } from './redis-driver.js';

/** A client library that the package has a driver for. */
export type DriverName = 'ioredis' | 'node-redis';

/** The drivers, in the order in which their libraries are looked for. */
const DRIVERS: Readonly<Record<DriverName, { readonly driver: RedisDriver; readonly load: () => unknown }>> = {
  ioredis: { driver: ioredisDriver, load: loadIoredis },
  'node-redis': { driver: nodeRedisDriver, load: loadNodeRedis },
};

export const DRIVER_NAMES = Object.keys(DRIVERS) as readonly DriverName[];

export const driverNamed = (name: DriverName): RedisDriver => DRIVERS[name].driver;

/** @throws MissingClientError if none is installed. */
const firstInstalled = (): RedisDriver => {
  const missing: string[] = [];
  for (const { driver, load } of Object.values(DRIVERS)) {
    try {
      load();
      return driver;
    } catch (error) {
      if (!(error instanceof MissingClientError)) throw error;
      missing.push(...error.packages);
    }
  }
  throw new MissingClientError(missing);
};

/** The driver of the library that is installed; of ioredis, if both are. */
export const installedDriver: RedisDriver = {
  get name() {
    return firstInstalled().name;
  },
  connect: async (...connecting) => firstInstalled().connect(...connecting),
};
