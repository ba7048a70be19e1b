/** The holder of a lock. */
export interface Holder {
  /** The number of its process; absent if that has just ended. */
  readonly process?: number | undefined;
  /** The owner id in Redis; absent in memory. */
  readonly owner?: string | undefined;
}

/** The state of a lock at one moment. */
export interface LockState {
  readonly mode: 'free' | 'exclusive' | 'read' | 'write';
  readonly holders: readonly Holder[];
  /** Milliseconds until it ends unless it is renewed; 0 if it is free. */
  readonly leaseMs: number;
  /** The length of its queue on the server; absent if it has none. */
  readonly queued?: number | undefined;
}

/** The names of the locks to inspect. */
export interface Watched {
  readonly exclusive: readonly string[];
  readonly readWrite: readonly string[];
}

/** Reads the holders of locks, over all processes. */
export abstract class LockWatch {
  /** The state of each lock, by name. */
  abstract look(watched: Watched): Promise<ReadonlyMap<string, LockState>>;
}

export const FREE: LockState = { mode: 'free', holders: [], leaseMs: 0 };
