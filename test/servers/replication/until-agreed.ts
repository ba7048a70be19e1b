import { until } from '../../kit/until.js';

const LIMIT_MS = 30_000;

/** Resolves when servers have agreed on `condition`. No test is about the time of that, so the limit is wide. */
export const untilAgreed = (condition: () => Promise<boolean>, what: string): Promise<void> =>
  until(condition, LIMIT_MS, what);
