import type { ServerOptions } from '../../lib/backend/driver/server-options.js';
import { parseModuleOptions, type RedisLockOptions } from '../../lib/module/options/redis-lock.options.js';

/** The options of the connection that the module opens with these; `undefined` if its locks are not in Redis. */
export const redisOptions = (options: RedisLockOptions): ServerOptions | undefined => {
  const { target } = parseModuleOptions(options);
  return target.kind === 'redis' ? target.servers.options : undefined;
};
