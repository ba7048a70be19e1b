// `DRIVER` names the driver that all tests run on, also with an older version of its library.
const LIBRARIES = {
  ioredis: 'ioredis',
  'ioredis@5': 'ioredis5',
  'node-redis': 'redis',
  'node-redis@5': 'redis5',
};

const { DRIVER } = process.env;
if (DRIVER !== undefined && !(DRIVER in LIBRARIES))
  throw new Error(`DRIVER=${DRIVER} is none of ${Object.keys(LIBRARIES).join(', ')}`);

module.exports = {
  /** `ioredis`, `node-redis`, or undefined. */
  chosenDriver: DRIVER?.split('@')[0],
  /** The package of its library. */
  library: LIBRARIES[DRIVER],
};
