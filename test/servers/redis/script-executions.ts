import type { Redis } from 'ioredis';

/** How many scripts a server has executed: the first call of one on a connection is EVAL, the others are EVALSHA. */
export const scriptExecutions = async (admin: Redis): Promise<number> => {
  const stats = await admin.info('commandstats');
  const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].map(([, count]) => Number(count));
  return calls.reduce((sum, count) => sum + count, 0);
};
