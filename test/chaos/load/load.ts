/** What a loop takes and gives back again and again. */
export type LoadKind =
  'naive' | 'plain' | 'fair' | 'fenced' | 'spin' | 'read' | 'write' | 'semaphore' | 'permits' | 'group' | 'redlock';

export interface Load {
  readonly kind: LoadKind;
  readonly names: readonly string[];
  /** How many loops in each process. */
  readonly loops: number;
  /** Milliseconds; absent: the watchdog. */
  readonly lease?: number;
  /** Longest wait of one attempt, ms. */
  readonly wait: number;
  /** Longest time that something is held, ms. */
  readonly hold: number;
  /** Longest pause between two attempts, ms. Default: 5. */
  readonly pause?: number;
}

/** What a process is told when it starts. */
export interface LoadSetup {
  readonly options: Readonly<Record<string, unknown>>;
  /** Where it writes its history. */
  readonly path: string;
  readonly seed: number;
}

/** How many permits the semaphores of a load have. */
export const PERMITS = 2;
