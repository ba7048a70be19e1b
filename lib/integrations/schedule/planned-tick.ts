/** What is asked of the times of a cron job (`CronJob.cronTime`). */
export interface CronTimes {
  readonly timeZone?: string | undefined;
  /** The first planned instant after `start`. */
  getNextDateFrom(start: Date, timeZone?: string): { toMillis(): number };
}

/**
 * By how much a job may run before its instant, ms: `cron` waits for it by the wall clock. No more, since a job that comes
 * late by nearly its period would be taken for the next one, which would then be left out.
 */
const EARLY_MS = 10;
const DAY_MS = 86_400_000;
/** How far back it is looked, ms: mostly the instant has just been. */
const LOOKBACKS_MS = [2000, 60_000, 3_600_000, DAY_MS, 32 * DAY_MS, 5 * 366 * DAY_MS];

/**
 * The instant for which a job that runs `now` was planned: the latest one that has come. Replicas whose clocks differ run at
 * different times, but for the same instant.
 */
export const tickAt = (times: CronTimes, now: number): number => {
  const latest = now + EARLY_MS;
  const after = (instant: number): number => times.getNextDateFrom(new Date(instant), times.timeZone).toMillis();
  for (const lookback of LOOKBACKS_MS) {
    let tick: number | undefined;
    for (let next = after(latest - lookback); next <= latest; next = after(next)) tick = next;
    if (tick !== undefined) return tick;
  }
  return now;
};
