import type { HoldToken } from 'nest-redis-lock';

/** Data of the job that the request adds. */
export interface ReportJob {
  readonly id: string;
  /** The lock of the request, which the job goes on with. */
  readonly lock: HoldToken;
}

export const REPORTS = 'reports';

export const reportLock = (id: string): string => `report:${id}`;
