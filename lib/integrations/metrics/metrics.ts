/** How a metric is described to both exporters. */
export interface Metric {
  /** In the notation of OpenTelemetry, without the name of the library: `wait.duration`. */
  readonly name: string;
  readonly help: string;
  /** Absent: a plain number. */
  readonly unit?: 's';
}

/** The fields of a record, whose keys are known. */
export const entriesOf = <K extends string, V>(record: Readonly<Record<K, V>>): readonly (readonly [K, V])[] =>
  Object.entries(record) as [K, V][];

/** Milliseconds in the unit of both exporters. */
export const seconds = (ms: number): number => ms / 1000;

/** The names of the labels that say which locks a number is about. */
export const LOCK_LABELS = ['connection', 'kind', 'template'] as const;

export const DURATIONS = {
  waits: {
    name: 'wait.duration',
    unit: 's',
    help: 'Time from the call that acquires a lock until it is acquired.',
  },
  holds: {
    name: 'hold.duration',
    unit: 's',
    help: 'Time for which a lock was held, until it was released, handed over or lost.',
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** Each counter is a field of `LockSeries`. */
export const COUNTERS = {
  contention: { name: 'contention', help: 'Calls that had to wait for a lock.' },
  timeouts: { name: 'timeouts', help: 'Calls that waited for as long as they were allowed to, without success.' },
  conflicts: { name: 'conflicts', help: 'Calls that did not wait, while the lock was held.' },
  cancellations: { name: 'cancellations', help: 'Waits that ended by a signal or by a shutdown.' },
  failures: { name: 'failures', help: 'Calls that failed otherwise, mostly because Redis was unavailable.' },
  losses: { name: 'losses', help: 'Locks that were lost while they were held.' },
  renewalFailures: { name: 'renewal.failures', help: 'Renewals of locks that failed; they are tried again.' },
  releases: { name: 'releases', help: 'Locks that were released without being handed over.' },
} as const satisfies Readonly<Record<string, Metric>>;

/** Counted for each way of it, as the label `via`. */
export const HANDOVERS = {
  name: 'handovers',
  help: 'Locks that were given to a waiter when they were released, by way of the process or of the server.',
} as const satisfies Metric;

export const GAUGES = {
  held: { name: 'held', help: 'Locks that this process holds.' },
  waiting: { name: 'waiting', help: 'Calls of this process that wait for a lock.' },
} as const satisfies Readonly<Record<string, Metric>>;

export const WATCHDOG_LAG = {
  name: 'watchdog.lag',
  unit: 's',
  help: 'How late the watchdog renews the locks of a connection.',
} as const satisfies Metric;

/** The upper bounds of the buckets of {@link DURATIONS}, ms: from one round trip to more than most leases. */
export const BUCKETS: readonly number[] = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000];
