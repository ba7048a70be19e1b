import type { RedisLockOptions } from '../../lib/index.js';
import type { Load } from './load/load.js';
import type { TopologyName } from './topologies/topology.js';
import type { ChaosRun } from './chaos-run.js';

/** A fault, and the guarantees that must hold under it. */
export interface ChaosCase {
  /** The id in the fault catalogue: `F8`, with a letter if a row has several cases. */
  readonly id: string;
  readonly title: string;
  readonly topologies: readonly TopologyName[];
  /** The load during the fault. Default: the usual load of the topology. Empty: no load. */
  readonly load?: (topology: TopologyName) => readonly Load[];
  /** More options for every client. */
  readonly options?: RedisLockOptions;
  /** Settings of the servers, for topologies without a cluster. */
  readonly serverArgs?: readonly string[];
  /** The number of processes. Default: 3. */
  readonly processes?: number;
  /**
   * Whether the fault loses data or clocks, so that two owners may hold at once. Then only the order of tokens is
   * demanded.
   */
  readonly losesData?: boolean;
  /** The longest time for which a holder may not know that another one has ended its hold, ms. Default: none. */
  readonly untoldFor?: number;
  /** Keys that may be left, beside tokens and the keys that semaphores keep. */
  readonly mayLeave?: RegExp;
  /** Whether waiters for fair locks must be served in the order of their places. Default: not demanded. */
  readonly isInOrder?: boolean;
  /** The time by which an answer may come after the end of the wait, ms. Default: 1000. */
  readonly overrun?: number;
  /**
   * The least number of times that a release must give a plain lock to a client that waits. Default: not demanded. With
   * `handover: false`, none may.
   */
  readonly leastGrants?: number;
  /** The longest time for which a lock may be free although a client waits for it, ms. Default: not demanded. */
  readonly longestHandOver?: number;
  /** The factor by which the case is longer in the long set. Default: 2. */
  readonly longScale?: number;
  /** Whether the case must fail, to show that the checkers find faults. It is no part of the set. Default: false. */
  readonly isControl?: boolean;
  /** Injects the fault while the load runs, and may check guarantees of this fault only. */
  run(chaosRun: ChaosRun): Promise<void>;
}
