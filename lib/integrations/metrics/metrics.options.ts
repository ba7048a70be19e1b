import { namesOf, parseCount } from '../../validation/options.js';

/** Options of everything that exports metrics. */
export interface MetricsOptions {
  /**
   * Most sets of the labels `connection`, `kind` and `template`, 1 … 100,000. The locks of further templates are counted
   * together as `(other)`, in one set for each kind and connection. Names that come from no template, which `LockService`
   * was given as text, are counted together as `(none)`. Default: 500.
   */
  readonly maxLabelSets?: number | undefined;
}

export const METRICS_OPTIONS = namesOf<MetricsOptions>()('maxLabelSets');

const DEFAULT_LABEL_SETS = 500;

/** @throws LockOptionsError that names option and value. */
export const parseMaxLabelSets = (maxLabelSets: unknown = DEFAULT_LABEL_SETS): number =>
  parseCount(maxLabelSets, 'maxLabelSets', { min: 1, max: 100_000 });
