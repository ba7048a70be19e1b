import type { Library } from '../libraries.js';
import type { MeasurementSettings, BenchWorld } from '../bench-world.js';
import type { Placement } from '../set-up/set-up.js';

/** One measured quantity, a column of the scenario's table. */
export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly unit?: string;
  readonly digits?: number;
  /** Whether higher or lower values are better; absent if neither is. */
  readonly best?: 'highest' | 'lowest';
  /** Whether the ratio to the limit adapter's value of the same round is shown as well. */
  readonly overLimit?: boolean;
}

/** Values by {@link Metric.key}; NaN if one could not be measured. */
export type Figures = Readonly<Record<string, number>>;

/** The divisor of a value in the same round: none, the value of another library, or this library's of another size. */
export type Baseline = 'itself' | 'limit' | 'best peer' | 'redisson' | 'before' | { readonly size: number };

/** A value that this library has to reach. */
export interface Bar {
  readonly text: string;
  readonly metric: string;
  readonly over?: Baseline;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** The reason, shown if the bar is missed. */
  readonly whyMissed?: string;
  /** Size of the row that it applies to. Default: all. */
  readonly size?: number;
}

export interface Measurement {
  readonly world: BenchWorld;
  readonly library: Library;
  /** A name of its own for every measurement. */
  readonly key: string;
  readonly size: number;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** Description of the measurement, for the results. */
  readonly method: string;
  readonly metrics: readonly Metric[];
  readonly bars?: readonly Bar[];
  /** The most rounds of a scenario that takes long; a quick run has one. */
  readonly maxRounds?: number;
  /** Set-ups with other placements do not measure it. Default: any. */
  readonly placement?: Placement;
  /**
   * Measured only in the first set-up, in the first one of each Node, or only if it is named on the command line.
   * Default: in every set-up.
   */
  readonly when?: 'once' | 'each-node' | 'named';
  /** Whether this library is measured in the scenario. */
  takesPart(library: Library, settings: MeasurementSettings): boolean;
  /** Sizes that are measured, each in a row of its own. Absent: one row. */
  sizes?(settings: MeasurementSettings): readonly number[];
  rowTitle?(library: Library, size: number): string;
  measure(measurement: Measurement): Promise<Figures>;
}
