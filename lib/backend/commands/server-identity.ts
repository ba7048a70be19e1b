import type { RedisClient } from '../connection/redis-client.js';
import { unexpectedReply } from '../connection/reply-errors.js';

/** Identity that a server reports on each new connection. */
export interface ServerIdentity {
  /** Changes with every start. */
  readonly runId: string;
  /** Changes with every promotion. */
  readonly replicationId: string;
  /** Whether it was a replica once. It does not report when. */
  readonly wasPromoted: boolean;
  /** Milliseconds since its start, at least. */
  readonly uptime: number;
}

const NEVER_PROMOTED = /^0*$/;

/** Asks a server for its identity. */
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

/** Asks a server for its run id alone; `undefined` if it does not report one. */
export const askRunId = async (client: RedisClient): Promise<string | undefined> =>
  /^run_id:(\w+)/m.exec(String(await client.info('server')))?.[1];
