import {
  LockAbortedError,
  LockConflictError,
  type LockError,
  LockShutdownError,
  LockTimeoutError,
  LockUnavailableError,
} from '../errors.js';
import type { WaitEnd, WaitLimit } from '../time/wait-limit.js';
import type { Busy } from './attempt.js';

/** What was asked for, for the texts of errors. */
export interface Asked {
  readonly name: string;
  readonly template: string | undefined;
  readonly limit: WaitLimit;
}

/** What the last try found: somebody else's hold, or no answer. */
export type LastSeen = Busy | LockUnavailableError | undefined;

const describeHolder = ({ holder, remaining }: Busy): string => {
  const left = remaining < 0 ? 'without end' : `for ${remaining} ms more unless it is renewed or released`;
  return `held by ${holder} ${left}`;
};

/** One try was allowed, and somebody else holds the lock. */
export const conflict = ({ name, template }: Asked, busy: Busy): LockConflictError =>
  new LockConflictError(`Lock "${name}" is ${describeHolder(busy)}; one try was allowed, give a wait to queue for it`, {
    lockName: name,
    template,
    details: { ...busy },
  });

/** Why a wait that ended comes to nothing. */
export const refusal = ({ name, template, limit }: Asked, end: WaitEnd, last: LastSeen): LockError => {
  const context = { lockName: name, template };
  const waited = Math.round(limit.waited);
  if (end.cause === 'aborted') {
    if (end.reason instanceof LockShutdownError) return end.reason;
    return new LockAbortedError(`Waiting for lock "${name}" was aborted after ${waited} ms`, {
      ...context,
      cause: end.reason,
    });
  }
  if (last instanceof LockUnavailableError) return last;
  if (limit.wait === 0) {
    const busy = `Lock "${name}" is in use by another call of the same owner; one try was allowed, give a wait to queue for it`;
    return new LockConflictError(busy, context);
  }
  const seen = last ? `is still ${describeHolder(last)}` : 'was not granted';
  return new LockTimeoutError(`Lock "${name}" ${seen} after ${waited} ms; wait longer or try again later`, {
    ...context,
    details: { ...last, waitedMs: waited },
  });
};
