// `DRIVER` names the driver that all tests run on, also with an older version of its library.
const REPLACED = {
  ioredis: {},
  'ioredis@5': { ioredis: 'ioredis5' },
  'node-redis': {},
  'node-redis@5': { redis: 'redis5' },
};

const { DRIVER } = process.env;
if (DRIVER !== undefined && !(DRIVER in REPLACED))
  throw new Error(`DRIVER=${DRIVER} is none of ${Object.keys(REPLACED).join(', ')}`);

module.exports = {
  /** `ioredis`, `node-redis`, or undefined. */
  driver: DRIVER?.split('@')[0],
  /** The packages that stand in for others. */
  replaced: REPLACED[DRIVER] ?? {},
};
