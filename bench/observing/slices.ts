/** Loops on locks that two builds run in turn. */
export interface Load {
  readonly scenario: string;
  readonly loops: number;
  /** Whether all loops are on one lock. Otherwise each has one of its own. */
  readonly isShared: boolean;
}

/** The scenarios of the benchmark whose cost is compared. */
export const LOADS: readonly Load[] = [
  { scenario: 'S1', loops: 1, isShared: false },
  { scenario: 'S2', loops: 256, isShared: false },
  { scenario: 'S3', loops: 100, isShared: true },
];

/** What a build did in a short time. */
export interface Slice {
  /** Processor time of a pair, µs. */
  readonly cpu: number;
  readonly perSecond: number;
}

export interface SlicesTask extends Load {
  readonly ms: number;
  readonly slices: number;
}

/** The slices of two builds, of which those with the same index were measured one right after the other. */
export interface SlicesDone {
  readonly before: readonly Slice[];
  readonly now: readonly Slice[];
}
