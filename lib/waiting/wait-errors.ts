import {
  LockAbortedError,
  LockConflictError,
  LockDeadlockError,
  type LockError,
  LockOrderError,
  LockQueueFullError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
} from '../errors.js';
import { shownOwner } from '../context/chosen-owner.js';
import type { WaitEnd } from '../time/wait-limit.js';
import type { AcquireContext } from './acquirer.js';
import type { Busy, LastOutcome } from './attempt-strategy.js';

const describeBusy = ({ holder, next, isWriter, available, isSet, inUse, limit }: Busy): string => {
  if (limit !== undefined) return `reached (${inUse} permits in use, ${limit} allowed)`;
  if (isSet === false) return 'without permits, because their number was never set';
  if (available !== undefined) return `left with ${available} permits`;
  if (isWriter) return `reserved for a waiting writer (${next})`;
  if (next !== undefined) return `reserved for the first in its queue (${next})`;
  return holder === undefined ? 'in use' : `held by ${shownOwner(holder)}`;
};

/** When the outcome may change without an announcement; put at the end of a sentence. */
const outlook = ({ holder, next, isWriter, remaining, limit }: Busy): string => {
  if (limit !== undefined) return `. One is free in ${remaining} ms unless it is renewed`;
  if (isWriter) return `. New readers let it go first for ${remaining} ms unless it renews that`;
  if (next !== undefined && remaining >= 0) return `. That place ends in ${remaining} ms unless its waiter renews it`;
  if (holder === undefined) return '';
  return remaining < 0 ? '. Its lease has no end' : `. Its lease ends in ${remaining} ms unless it is renewed`;
};

/** The outcome of an attempt, as applications know it. */
const shown = (busy: Busy): Busy => (busy.holder === undefined ? busy : { ...busy, holder: shownOwner(busy.holder) });

/** The error of a single attempt that found the lock busy. */
export const conflict = ({ what, name, template }: AcquireContext, busy: Busy): LockConflictError =>
  new LockConflictError(
    `${what} "${name}" is ${describeBusy(busy)}${outlook(busy)}; only one attempt was allowed; set wait to queue for it`,
    { lockName: name, template, details: { ...shown(busy) } },
  );

/** The error of a caller that finds the wait queue full. */
export const queueFull = ({ what, name, template }: AcquireContext, waiters: number): LockQueueFullError => {
  const why = `${waiters} callers of this process are already waiting for it`;
  return new LockQueueFullError(`${what} "${name}" cannot be queued for: ${why}; try again later, or raise maxQueue`, {
    lockName: name,
    template,
    details: { waiters },
  });
};

/** Whether it was this library that ended the wait, and not a signal of the caller. */
const isOurs = (reason: unknown): reason is LockError =>
  reason instanceof LockShutdownError || reason instanceof LockDeadlockError || reason instanceof LockOrderError;

/** The error of a waiter whose wait ended. */
export const refusal = (
  { what, name, template, limit }: AcquireContext,
  end: WaitEnd,
  last: LastOutcome,
): LockError => {
  const context = { lockName: name, template };
  const waited = Math.round(limit.waited);
  if (end.cause === 'aborted') {
    if (isOurs(end.reason)) return end.reason;
    return new LockAbortedError(`Waiting for ${what.toLowerCase()} "${name}" was aborted after ${waited} ms`, {
      ...context,
      cause: end.reason,
    });
  }
  if (last instanceof LockUnavailableError) return last;
  if (limit.wait === 0) {
    const busy = `${what} "${name}" is in use by another call of the same owner; only one attempt was allowed; set wait to queue for it`;
    return new LockConflictError(busy, context);
  }
  const seen = last
    ? `is still ${describeBusy(last)} after ${waited} ms${outlook(last)}`
    : `was not granted after ${waited} ms`;
  return new LockTimeoutError(`${what} "${name}" ${seen}; wait longer or try again later`, {
    ...context,
    details: { ...(last && shown(last)), waited },
  });
};
