/** Who holds a lock. */
export interface Holder {
  /** The number of its process; absent for one that has just gone. */
  readonly process?: number | undefined;
  /** As it stands in Redis; absent in memory, where nobody else could be asked. */
  readonly owner?: string | undefined;
}

/** A lock, as it stands at this moment. */
export interface LockState {
  readonly mode: 'free' | 'exclusive' | 'read' | 'write';
  readonly holders: readonly Holder[];
  /** Milliseconds until it ends by itself, unless it is renewed; 0 where nobody holds it. */
  readonly leaseMs: number;
  /** How many stand in its queue on the server; absent where there is none. */
  readonly queued?: number | undefined;
}

/** Which locks to look at. */
export interface Watched {
  readonly exclusive: readonly string[];
  readonly readWrite: readonly string[];
}

/** Who holds which locks, over all processes. */
export abstract class LockWatch {
  /** One look at all of them: a state for each name. */
  abstract look(watched: Watched): Promise<ReadonlyMap<string, LockState>>;
}

export const FREE: LockState = { mode: 'free', holders: [], leaseMs: 0 };
