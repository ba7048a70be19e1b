/** Tasks for the process that runs the shop of the sample, and its buyers. */
export type ShopTasks = {
  /** Opens a shop of several processes, and holds a sale that warms them up. */
  open(task: { readonly redisUrl: string; readonly locking: 'unfair' | 'fair' | 'off' }): Promise<void>;
  /** Holds sales, for as long or a little longer. */
  sell(task: { readonly ms: number }): Promise<SalesDone>;
  /** Processor time that the processes of the shop have used so far, µs. */
  cpuTime(): number;
  close(): Promise<void>;
};

export type SalesDone = {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly oversold: number;
  readonly failed: number;
};
