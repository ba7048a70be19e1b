import type { Load } from './load/load.js';
import type { TopologyName } from './topologies/topology.js';
import type { ChaosRun } from './chaos-run.js';

/** A fault, and what must hold under it. */
export interface ChaosCase {
  /** Of the fault catalogue: `F8`; with a letter where a row has several. */
  readonly id: string;
  readonly title: string;
  readonly topologies: readonly TopologyName[];
  /** What runs meanwhile. Default: the usual load of the topology. Empty: nothing. */
  readonly load?: (topology: TopologyName) => readonly Load[];
  /** Further options of every client. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Settings of the servers, where they are not clustered. */
  readonly serverArgs?: readonly string[];
  /** How many processes. Default: 3. */
  readonly processes?: number;
  /** Whether two may hold at once, since the fault loses data or clocks: then only the order of tokens is demanded. */
  readonly losesData?: boolean;
  /** Keys that may be left, beside tokens and what semaphores keep. */
  readonly mayLeave?: RegExp;
  /** Milliseconds from which on an earlier waiter for a fair lock must be served first. Default: not demanded. */
  readonly certainAfter?: number;
  /** Milliseconds by which an answer may come after the wait is over. Default: 1000. */
  readonly overrun?: number;
  /** How much longer than usual it is in the long set. Default: 2. */
  readonly longScale?: number;
  /** Shows that the checkers find what is wrong: it must fail, and is no part of the set. Default: false. */
  readonly isControl?: boolean;
  /** Injects the fault, while the load runs; may check what is special about it. */
  run(chaosRun: ChaosRun): Promise<void>;
}
