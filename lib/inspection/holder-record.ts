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
  /** Option `note` of the call that acquired it: why it is held. */
  readonly note?: string;
  /** When it was acquired, ms since 1970 on the clock of the holder. */
  readonly since: number;
  /** Present once the work has ended and the lock is kept for `holdAtLeast`: until when, ms since 1970, on the same clock. */
  readonly keptUntil?: number;
}

const optional = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The record in a text that another process has written; `undefined`: it is none. */
export const readRecord = (text: string): HolderRecord | undefined => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { host, pid, since, ...given }: Readonly<Record<string, unknown>> = { ...parsed };
  if (typeof host !== 'string' || typeof pid !== 'number' || typeof since !== 'number') return undefined;
  const keptUntil = typeof given.keptUntil === 'number' ? given.keptUntil : undefined;
  const [service, method] = [optional(given.service), optional(given.method)];
  const [traceId, note] = [optional(given.traceId), optional(given.note)];
  return {
    host,
    pid,
    ...(service !== undefined && { service }),
    ...(method !== undefined && { method }),
    ...(traceId !== undefined && { traceId }),
    ...(note !== undefined && { note }),
    since,
    ...(keptUntil !== undefined && { keptUntil }),
  };
};
