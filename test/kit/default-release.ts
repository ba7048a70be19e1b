import type { RedisLockOptions } from '../../lib/index.js';

/** The option `release` of the modules that tests open: `RELEASE=background` runs a suite once more, with that. */
export const defaultRelease: Pick<RedisLockOptions, 'release'> =
  process.env['RELEASE'] === 'background' ? { release: 'background' } : {};
