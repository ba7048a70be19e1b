import { setTimeout as sleep } from 'node:timers/promises';

/** Nanoseconds of the clock that all processes of this machine share, Java's too. Exact up to 104 days of uptime. */
export const now = (): number => Number(process.hrtime.bigint());

export const NS_PER_MS = 1e6;

export async function until(instant: number): Promise<void> {
  const ms = (instant - now()) / NS_PER_MS;
  if (ms > 0) await sleep(ms);
}
