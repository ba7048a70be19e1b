import type { EventOf } from '../../events/lock-events.js';
import type { LockService } from '../../lock.service.js';
import { LabelSets } from './label-sets.js';
import { LockSeries } from './lock-series.js';
import type { DURATIONS } from './metrics.js';

/** The events that change a number. */
const MEASURED = [
  'waiting',
  'acquired',
  'handed-over',
  'released',
  'lost',
  'timed-out',
  'conflict',
  'cancelled',
  'failed',
] as const;
type Measured = EventOf<(typeof MEASURED)[number]>;

/** Called for each duration, by exporters that read no {@link LockSeries}. */
type DurationListener = (which: keyof typeof DURATIONS, series: LockSeries, ms: number) => void;

/** The numbers of this moment that belong to a connection. */
interface ConnectionGauges {
  readonly connection: string;
  /** Milliseconds. */
  readonly watchdogLag: number;
}

/**
 * Counts what happens to locks. Exporters read the numbers when they are asked for them: this costs an acquisition a
 * few additions, and nothing that an exporter throws reaches it.
 */
export class LockMetrics {
  private readonly sets: LabelSets<LockSeries>;
  private readonly stops: readonly (() => void)[];

  /** @param maxLabelSets As for `LabelSets`. */
  constructor(
    private readonly locks: Pick<LockService, 'onEvent' | 'stats'>,
    maxLabelSets: number,
    private readonly onDuration?: DurationListener,
  ) {
    this.sets = new LabelSets(maxLabelSets, (labels) => new LockSeries(labels));
    this.stops = [
      locks.onEvent(MEASURED, (event) => this.count(event)),
      locks.onEvent('renewal-failed', (event) => this.countFailedRenewals(event)),
    ];
  }

  /** The numbers counted so far; `held` and `waiting` are those of the last {@link measure}. */
  get series(): Iterable<LockSeries> {
    return this.sets;
  }

  /** Brings the gauges of {@link series} up to date, and returns those of the connections. */
  measure(): readonly ConnectionGauges[] {
    for (const series of this.sets) {
      series.held = 0;
      series.waiting = 0;
    }
    const { connections } = this.locks.stats();
    for (const { connection, templates } of connections) {
      for (const { kind, template, held, waiting } of templates) {
        const series = this.sets.of(connection, kind, template);
        series.held += held;
        series.waiting += waiting;
      }
    }
    return connections;
  }

  stop(): void {
    for (const stop of this.stops) stop();
  }

  private count(event: Measured): void {
    const series = this.sets.of(event.connection, event.kind, event.template);
    switch (event.type) {
      case 'waiting':
        series.contention += 1;
        break;
      case 'acquired':
        this.add('waits', series, event.waited);
        break;
      case 'handed-over':
        series.handovers[event.via] += 1;
        this.add('holds', series, event.heldFor);
        break;
      case 'released':
        series.releases += 1;
        this.add('holds', series, event.heldFor);
        break;
      case 'lost':
        series.losses += 1;
        this.add('holds', series, event.heldFor);
        break;
      case 'timed-out':
        series.timeouts += 1;
        break;
      case 'conflict':
        series.conflicts += 1;
        break;
      case 'cancelled':
        series.cancellations += 1;
        break;
      case 'failed':
        series.failures += 1;
        break;
      default:
        event satisfies never;
    }
  }

  /** @param ms `undefined` for permits without an owner, whose release cannot be matched to an acquisition. */
  private add(which: keyof typeof DURATIONS, series: LockSeries, ms: number | undefined): void {
    if (ms === undefined) return;
    series[which].add(ms);
    this.onDuration?.(which, series, ms);
  }

  private countFailedRenewals({ locks }: EventOf<'renewal-failed'>): void {
    for (const { connection, kind, template } of locks) this.sets.of(connection, kind, template).renewalFailures += 1;
  }
}
