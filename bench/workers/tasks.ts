import type { CallForm } from '../adapters/adapter.js';

/**
 * Tasks for a process of the benchmark, the same in Node and in Java. Instants are nanoseconds of the monotonic clock,
 * which all processes of a machine share.
 */
export type Tasks = {
  /** Runs one loop that takes and releases a free lock. */
  pairs(task: PairsTask): Promise<PairsDone>;
  /** Runs many loops, each on a lock of its own. */
  distinct(task: DistinctTask): Promise<DistinctDone>;
  /** Runs many loops on one lock. */
  contend(task: ContendTask): Promise<ContendDone>;
  /** Takes the lock and keeps it. Resolves with the instant of the grant. */
  take(task: { readonly key: string }): Promise<number>;
  /** Releases the lock. Resolves with the instant at which the release began. */
  giveBack(task: { readonly key: string }): Promise<number>;
  /** Adds waiters for one lock, which go on waiting. Resolves when all have begun. */
  queueUp(task: { readonly key: string; readonly count: number }): Promise<void>;
  /** Takes many locks and keeps them. Resolves with the time that took, ms. Java takes one after the other. */
  hold(task: { readonly prefix: string; readonly count: number }): Promise<number>;
};

/** Tasks for a process of Node only. */
export type NodeTasks = Tasks & {
  /** Processor time that the process has used so far, µs. */
  cpuTime(): number;
  /** Opens so many clients with connections of their own, for `contend`. */
  openClients(task: { readonly count: number }): Promise<void>;
  /** Subscribes, and keeps the instants of messages for `heard`. */
  listen(task: { readonly channel: string }): Promise<void>;
  /** Publishes. Resolves with the instant right before the command. */
  publish(task: { readonly channel: string }): Promise<number>;
  /** Resolves with the instant of the next message. */
  heard(): Promise<number>;
  /** Adds a waiter for each of the locks of a `hold` elsewhere. Resolves with the delays of the event loop meanwhile. */
  queueUpNames(task: { readonly prefix: string; readonly count: number; readonly ms: number }): Promise<LoopDelay>;
  /** Numbers of the waiters of `queueUp` that have got the lock and that have given up. */
  queued(): { readonly granted: number; readonly failed: number };
  /** Makes the next `count` of them release the lock as soon as they get it. Resolves with the hand-over times, ns. */
  passOn(task: { readonly count: number }): Promise<readonly number[]>;
  /** Delay of the event loop while no task runs. */
  loopDelay(task: { readonly ms: number }): Promise<LoopDelay>;
  /** Number of holds that the library reported as lost; 0 if it reports none. */
  losses(): number;
  /** Memory in use after a garbage collection. */
  memory(): Memory;
};

export interface PairsTask {
  readonly key: string;
  readonly warmUpMs: number;
  readonly ms: number;
  /** How it locks, if by a call. Default: acquires and releases. */
  readonly form?: CallForm | undefined;
  /** The most pairs. Default: as many as the time allows. */
  readonly count?: number;
}

export interface PairsDone {
  /** Pairs in all, also those of the warm-up. Absent in Java. */
  readonly all?: number;
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Absent in Java. */
  readonly mean?: number;
  /** The first pair, milliseconds. Absent in Java. */
  readonly first?: number;
}

export interface DistinctTask extends PairsTask {
  readonly loops: number;
}

export interface DistinctDone {
  /** Pairs in all, also those of the warm-up. Absent in Java. */
  readonly all?: number;
  readonly perSecond: number;
}

export interface ContendTask {
  readonly key: string;
  readonly loops: number;
  /** Whether each loop has a client of its own, which `openClients` has opened. */
  readonly ownClients?: boolean;
  /** Instant at which the loops begin. */
  readonly start: number;
  /** Instant from which they begin no more acquisitions. */
  readonly end: number;
  /** A pause while the lock is held, ms; 0: released at once. */
  readonly sectionMs: number;
  /** A key that is read and then written, in two round trips, while the lock is held. */
  readonly counter?: string;
  /** File that the acquisitions are written to: see `timeline.ts`. */
  readonly file: string;
}

export interface ContendDone {
  /** Acquisitions and releases that ended with an error, mostly because the lock was not granted in time. */
  readonly failures: number;
  readonly firstFailure: string;
  /** Loops that had not returned well after the end. */
  readonly stuck: number;
}

export interface LoopDelay {
  /** Milliseconds beyond the sampling interval. */
  readonly p99: number;
  readonly max: number;
}

export interface Memory {
  /** Bytes. */
  readonly heap: number;
  readonly rss: number;
}
