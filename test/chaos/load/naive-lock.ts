import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const PAUSE_MS = 10;

/**
 * Acquires a lock in the way that many applications start with. They check no owner and keep no deadline, and a process
 * that stalled goes on afterwards. The value names the process, so that the fault can find it.
 */
export const takeNaively = async (redis: Redis, name: string, lease: number, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    if ((await redis.set(name, String(process.pid), 'PX', lease, 'NX')) === 'OK') return true;
    await sleep(PAUSE_MS);
  }
  return false;
};
