import { Distribution } from './distribution.js';
import type { LockLabels } from './label-sets.js';
import type { COUNTERS, DURATIONS, GAUGES } from './metrics.js';

type Fields = Readonly<Record<keyof typeof DURATIONS, Distribution>> &
  Record<keyof typeof COUNTERS | keyof typeof GAUGES, number>;

/** All numbers about the locks of one set of labels. */
export class LockSeries implements Fields {
  readonly waits = new Distribution();
  readonly holds = new Distribution();
  contention = 0;
  timeouts = 0;
  conflicts = 0;
  cancellations = 0;
  failures = 0;
  losses = 0;
  renewalFailures = 0;
  releases = 0;
  readonly handovers = { process: 0, server: 0 };
  held = 0;
  waiting = 0;

  constructor(readonly labels: LockLabels) {}
}
