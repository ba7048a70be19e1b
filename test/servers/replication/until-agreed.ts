import { until } from '../../kit/until.js';

const LIMIT_MS = 30_000;

/** Resolves when `condition` holds. How long servers take to agree among themselves is their affair, so the limit is wide. */
export const untilAgreed = (condition: () => Promise<boolean>, what: string): Promise<void> =>
  until(condition, LIMIT_MS, what);
