import type { Library } from '../libraries.js';
import type { Effort, Stage } from '../stage.js';

/** One thing that is measured, a column of the scenario's table. */
export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly unit?: string;
  readonly digits?: number;
  /** What is the best value; absent where there is no better and worse. */
  readonly best?: 'highest' | 'lowest';
  /** Also shown over the limit adapter's value of the same round. */
  readonly overLimit?: boolean;
}

/** By {@link Metric.key}; NaN where it could not be measured. */
export type Figures = Readonly<Record<string, number>>;

/** What a value is divided by, in the same round: by nothing, or by that of another library. */
export type Over = 'itself' | 'limit' | 'best peer' | 'redisson';

/** What this library has to reach. */
export interface Bar {
  readonly text: string;
  readonly metric: string;
  readonly over?: Over;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Shown when it is missed. */
  readonly whyMissed?: string;
  /** Only for the row of this size. */
  readonly size?: number;
}

export interface Measurement {
  readonly stage: Stage;
  readonly library: Library;
  /** A name of its own for every measurement. */
  readonly key: string;
  readonly size: number;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What exactly was done, in the results. */
  readonly method: string;
  readonly metrics: readonly Metric[];
  readonly bars?: readonly Bar[];
  /** Of what takes long: no more than so many, and in a quick run one. */
  readonly maxRounds?: number;
  /** Whether there is something to measure. */
  takesPart(library: Library, effort: Effort): boolean;
  /** The rows of one library: with so many of something. Absent: one row. */
  sizes?(effort: Effort): readonly number[];
  rowTitle?(library: Library, size: number): string;
  measure(measurement: Measurement): Promise<Figures>;
}
