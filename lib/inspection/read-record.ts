import type { HolderRecord } from './holder-record.js';

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
  const [service, method, traceId] = [optional(given.service), optional(given.method), optional(given.traceId)];
  return {
    host,
    pid,
    ...(service !== undefined && { service }),
    ...(method !== undefined && { method }),
    ...(traceId !== undefined && { traceId }),
    since,
    ...(keptUntil !== undefined && { keptUntil }),
  };
};
