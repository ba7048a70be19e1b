import type { RedisLockOptions } from '../../../lib/index.js';
/** The kind of lock or permit that a loop acquires and releases repeatedly. */
export type LoadKind =
  | 'naive'
  | 'redisson'
  | 'plain'
  | 'fair'
  | 'fenced'
  | 'spin'
  | 'read'
  | 'write'
  | 'semaphore'
  | 'permits'
  | 'limit'
  | 'group'
  | 'replacing'
  | 'owned'
  | 'redlock';

export interface Load {
  readonly kind: LoadKind;
  readonly names: readonly string[];
  /** The number of loops in each process. */
  readonly loops: number;
  /** The lease, ms. Without one the watchdog renews the hold or the permit. */
  readonly lease?: number;
  /** Longest wait of one attempt, ms. */
  readonly wait: number;
  /** Longest time of one hold, ms. */
  readonly hold: number;
  /** Longest pause between two attempts, ms. Default: 5. */
  readonly pause?: number;
}

/** The instructions for a process at its start. */
export interface LoadSetup {
  readonly options: RedisLockOptions;
  /** The file of its history. */
  readonly path: string;
  readonly seed: number;
}

/** The number of permits of each semaphore and of each limit of a load. */
export const PERMITS = 2;
