import type { ConnectionInput } from '../../lib/backend/connection/connection-input.js';
import { parseModuleOptions, type RedisLockOptions } from '../../lib/module/options/redis-lock.options.js';

/** The connection that the module opens with these options; `undefined` if its locks are not in Redis. */
export const redisInput = (options: RedisLockOptions): ConnectionInput | undefined => {
  const { target } = parseModuleOptions(options);
  return target.kind === 'redis' ? target.input : undefined;
};
