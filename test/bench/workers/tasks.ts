/**
 * What a process of the benchmark can be asked to do, the same in Node and in Java. Instants are nanoseconds of the
 * monotonic clock, which all processes of a machine share.
 */
export type Tasks = {
  /** One loop that takes and releases a free lock. */
  pairs(task: PairsTask): Promise<PairsDone>;
  /** Many loops, each on a lock of its own. */
  distinct(task: DistinctTask): Promise<DistinctDone>;
  /** Many loops on one lock. */
  contend(task: ContendTask): Promise<ContendDone>;
  /** Takes the lock and keeps it. Resolves with the instant at which it was there. */
  take(task: { readonly key: string }): Promise<number>;
  /** Gives back what was taken last. Resolves with the instant at which that began. */
  giveBack(task: { readonly key: string }): Promise<number>;
  /** Starts to wait for one lock many times over, and goes on waiting. Resolves when all have begun. */
  queueUp(task: { readonly key: string; readonly count: number }): Promise<void>;
  /** Takes many locks and keeps them. Resolves with how long that took, ms. Java: one after the other. */
  hold(task: { readonly prefix: string; readonly count: number }): Promise<number>;
};

/** What only Node is asked for. */
export type NodeTasks = Tasks & {
  /** Subscribes; what is heard is kept for `heard`. */
  listen(task: { readonly channel: string }): Promise<void>;
  /** Resolves with the instant right before the command. */
  publish(task: { readonly channel: string }): Promise<number>;
  /** The instant of the next message. */
  heard(): Promise<number>;
  /** Of `queueUp`: how many have got the lock, and how many gave up. */
  queued(): { readonly granted: number; readonly failed: number };
  /** Lets the next `count` of them release at once what they get. Resolves with how long each hand-over took, ns. */
  passOn(task: { readonly count: number }): Promise<readonly number[]>;
  /** How far behind the event loop is while nothing is asked for. */
  loopDelay(task: { readonly ms: number }): Promise<LoopDelay>;
  /** How many holds the library noticed to be lost; 0 if it does not tell. */
  losses(): number;
  /** After the garbage was collected. */
  memory(): Memory;
};

export interface PairsTask {
  readonly key: string;
  readonly warmUpMs: number;
  readonly ms: number;
}

export interface PairsDone {
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface DistinctTask extends PairsTask {
  readonly loops: number;
}

export interface DistinctDone {
  readonly perSecond: number;
}

export interface ContendTask {
  readonly key: string;
  readonly loops: number;
  /** When the loops begin. */
  readonly start: number;
  /** When they begin no more acquisitions. */
  readonly end: number;
  /** A pause while the lock is held, ms; 0: released at once. */
  readonly sectionMs: number;
  /** A key that is read and then written, in two round trips, while the lock is held. */
  readonly counter?: string;
  /** Where the acquisitions are written to: see `timeline.ts`. */
  readonly file: string;
}

export interface ContendDone {
  /** Acquisitions and releases that ended with an error, mostly that the lock was not to be had in time. */
  readonly failures: number;
  readonly firstFailure: string;
  /** Loops that had not come back well after the end. */
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
