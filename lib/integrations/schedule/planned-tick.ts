/** The schedule of a cron job (`CronJob.cronTime`), as far as it is used here. */
export interface CronTimes {
  readonly timeZone?: string | undefined;
  /** The first planned instant after `start`. */
  getNextDateFrom(start: Date, timeZone?: string): { toMillis(): number };
}

/**
 * How early a job may run before its planned instant, ms: `cron` times it by the wall clock. A larger value would take
 * a job that is late by almost a period for the next tick, which would then be skipped.
 */
const EARLY_MS = 10;
const DAY_MS = 86_400_000;
/** How far to search back, ms, in steps: mostly the planned instant has just passed. */
const LOOKBACKS_MS = [2000, 60_000, 3_600_000, DAY_MS, 32 * DAY_MS, 5 * 366 * DAY_MS];

/**
 * The planned instant of a job that runs `now`: the latest one that has come. Replicas whose clocks differ run at
 * different times, but compute the same instant.
 *
 * Until summer time has ended `cron` takes the repeated part of the day for its first pass, so after that instant it
 * names an earlier one. Such an answer ends the search: following it would lead round in a circle.
 */
export const tickAt = (times: CronTimes, now: number): number => {
  const latest = now + EARLY_MS;
  const after = (instant: number): number => times.getNextDateFrom(new Date(instant), times.timeZone).toMillis();
  for (const lookback of LOOKBACKS_MS) {
    let tick = after(latest - lookback);
    if (tick > latest) continue;
    for (let next = after(tick); next > tick && next <= latest; next = after(next)) tick = next;
    return tick;
  }
  return now;
};
