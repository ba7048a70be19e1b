import type { Redis } from 'ioredis';

/** Of masters and replicas alike: a replica is sent the data at once, and its state is known within a second. */
export const REPLICATION_SETTINGS = ['--repl-diskless-sync', 'no', '--rdb-del-sync-files', 'yes', '--repl-ping-replica-period', '1'] as const;

/** Whether a replica has its master's data and hears of every change. */
export async function isInStep(replica: Redis): Promise<boolean> {
  return (await replica.info('replication')).includes('master_link_status:up');
}
