import type { Redis } from 'ioredis';
import { waitingClients } from '../../lib/keys/redisson-keys.js';
import type { ChaosRun } from './chaos-run.js';

/** The owner ids of the clients that wait for a plain lock, in order of arrival. */
export const waitingOwners = async (admin: Redis, name: string): Promise<string[]> =>
  (await admin.zrange(waitingClients(name), '0', '-1')).map((entry) => entry.split(' ')[0] ?? '');

/** Resolves when so many clients wait for a plain lock, with their owner ids. */
export const untilWaiting = async (chaosRun: ChaosRun, admin: Redis, name: string, n: number): Promise<string[]> => {
  let owners: string[] = [];
  const areWaiting = async (): Promise<boolean> => (owners = await waitingOwners(admin, name)).length === n;
  if (!(await chaosRun.until(areWaiting, 5000, `${n} client(s) wait for ${name}`))) {
    throw new Error(`These wait: ${owners.join(', ')}`);
  }
  return owners;
};

/** The owner id that holds a plain lock; `undefined`: it is free. */
export const holderOf = async (admin: Redis, name: string): Promise<string | undefined> => (await admin.hkeys(name))[0];
