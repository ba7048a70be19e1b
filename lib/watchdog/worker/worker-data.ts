import type { PlainTarget } from '../../backend/plain-target.js';
import type { ServerOptions } from '../../backend/driver/server-options.js';
import type { HoldOfMain } from './worker-holds.js';

/** The data with which the worker is started. */
export interface WorkerData {
  /** Absent: there are only independent masters. */
  readonly servers: PlainTarget | undefined;
  /** Independent masters for RedLocks, if configured. */
  readonly masters:
    | {
        readonly nodes: ReadonlyMap<string, PlainTarget<ServerOptions>>;
        readonly nodeTimeout: number;
        readonly quorum: number;
      }
    | undefined;
  readonly commandTimeout: number;
  /** The memory of the beat of the main thread. */
  readonly beat: SharedArrayBuffer;
  /** The memory of the code in which the main thread stands. Absent: the worker cannot find that. */
  readonly stack: SharedArrayBuffer | undefined;
  /** How long the main thread may stand, ms. */
  readonly longest: number;
}

/** The message of the main thread for each hold, with its memory in place of the object around it. */
export type HoldMessage = Omit<HoldOfMain, 'times'> & { readonly memory: SharedArrayBuffer };

/** The message of the worker: why it cannot renew, as a sentence without its full stop. */
export interface WorkerProblem {
  readonly reason: string;
}
