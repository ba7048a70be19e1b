import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const PAUSE_MS = 10;

/**
 * What many begin with: no owner is checked, no deadline kept, and whoever comes back goes on. The value says which
 * process it is, for the fault to find it.
 */
export const takeNaively = async (redis: Redis, name: string, lease: number, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    if ((await redis.set(name, String(process.pid), 'PX', lease, 'NX')) === 'OK') return true;
    await sleep(PAUSE_MS);
  }
  return false;
};
