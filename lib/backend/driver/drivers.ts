import { ioredisDriver, loadIoredis } from './ioredis-driver.js';
import { loadNodeRedis, nodeRedisDriver } from './node-redis-driver.js';
import { MissingClientError, type RedisDriver } from './redis-driver.js';

/** A client library that the package has a driver for. */
export type DriverName = 'ioredis' | 'node-redis';

/** In the order in which they are looked for. */
const DRIVERS: Readonly<Record<DriverName, RedisDriver>> = { ioredis: ioredisDriver, 'node-redis': nodeRedisDriver };

export const DRIVER_NAMES = Object.keys(DRIVERS) as readonly DriverName[];

export const driverNamed = (name: DriverName): RedisDriver => DRIVERS[name];

/** @throws MissingClientError if none is installed. */
const firstInstalled = (): RedisDriver => {
  for (const [load, driver] of [[loadIoredis, ioredisDriver] as const, [loadNodeRedis, nodeRedisDriver] as const]) {
    try {
      load();
      return driver;
    } catch (error) {
      if (!(error instanceof MissingClientError)) throw error;
    }
  }
  throw new MissingClientError(['ioredis', 'redis']);
};

/** The driver of the library that is installed; of ioredis, if both are. */
export const installedDriver: RedisDriver = {
  name: 'installed',
  connect: async (...connecting) => firstInstalled().connect(...connecting),
};
