/** A change of one place of the library's code. */
export interface Edit {
  /** Path in `lib/`. */
  readonly file: string;
  /** Text that the file contains exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A bug that the explorer has to find. */
export interface PlantedBug {
  readonly name: string;
  /** The mistake, in words. */
  readonly what: string;
  readonly edits: readonly Edit[];
  /** The first seed to run, for a bug that few seeds show. Default: 1. */
  readonly from?: number;
  /** The one scenario to run, for a bug that few seeds of all show. Default: that of each seed. */
  readonly scenario?: string;
  /** The spec that fails with a bug which no seed has shown: it needs several rare events within one round trip. */
  readonly spec?: string;
}
