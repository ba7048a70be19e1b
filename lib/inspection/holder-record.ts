/** The holder of a lock, as its process has recorded it beside the lock, with the option `holderRecords`. */
export interface HolderRecord {
  /** Host name of the machine or container. */
  readonly host: string;
  readonly pid: number;
  /** Option `service`, or the name of the application's package. */
  readonly service?: string;
  /** The method or interceptor that acquired it, such as `@Locked Orders.pay`; absent for `LockService`. */
  readonly method?: string;
  /** The result of the option `traceId` when the lock was acquired. */
  readonly traceId?: string;
  /** When it was acquired, ms since 1970 on the clock of the holder. */
  readonly since: number;
  /** Present once the work has ended and the lock is kept for `holdAtLeast`: until when, ms since 1970, on the same clock. */
  readonly keptUntil?: number;
}
