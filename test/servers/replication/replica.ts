import type { Redis } from 'ioredis';

/**
 * Settings of masters and replicas. The data goes through a file, because after a direct transfer a new replica may get
 * no changes for a second. The file is removed, so that servers are empty after a restart.
 */
export const REPLICATION_SETTINGS = [
  ...['--repl-diskless-sync', 'no', '--rdb-del-sync-files', 'yes'],
  // The state of a replica is known within a second.
  ...['--repl-ping-replica-period', '1'],
] as const;

/** Whether a replica has its master's data and gets every change. */
export async function isInStep(replica: Redis): Promise<boolean> {
  return (await replica.info('replication')).includes('master_link_status:up');
}
