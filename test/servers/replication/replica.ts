import type { Redis } from 'ioredis';

/**
 * Of masters and replicas alike. The data goes through a file: sent directly, it is up to a second before a new replica
 * hears of changes. The file is removed, so that servers restart as empty as others.
 */
export const REPLICATION_SETTINGS = [
  ...['--repl-diskless-sync', 'no', '--rdb-del-sync-files', 'yes'],
  // The state of a replica is known within a second.
  ...['--repl-ping-replica-period', '1'],
] as const;

/** Whether a replica has its master's data and hears of every change. */
export async function isInStep(replica: Redis): Promise<boolean> {
  return (await replica.info('replication')).includes('master_link_status:up');
}
