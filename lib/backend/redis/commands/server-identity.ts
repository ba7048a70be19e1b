import type { RedisClient } from '../connection/redis-client.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import type { ServerIdentity } from './restart-guard.js';

const NEVER_PROMOTED = /^0*$/;

/** Asks a server who it is. */
export const askIdentity = async (client: RedisClient): Promise<ServerIdentity> => {
  const [server, replication] = await Promise.all([client.info('server'), client.info('replication')]);
  const text = `${String(server)}\n${String(replication)}`;
  const field = (name: string): string => {
    const value = new RegExp(`^${name}:(\\S*)`, 'm').exec(text)?.[1];
    if (value === undefined) throw unexpectedReply(text);
    return value;
  };
  return {
    runId: field('run_id'),
    replicationId: field('master_replid'),
    wasPromoted: !NEVER_PROMOTED.test(field('master_replid2')),
    uptime: Number(field('uptime_in_seconds')) * 1000,
  };
};
