import type { Hold, LockService, Permit } from '../../lib/index.js';
import type { LockOptions } from '../../lib/locks/options/lock.options.js';

/** The end of a lease as a caller may choose it, ms. `undefined`: the watchdog renews it. */
export interface Terms {
  readonly lease?: number | undefined;
  readonly wait: number;
}

export type Held = Pick<Hold | Permit, 'isHeld' | 'remaining'>;

/** The code of a caller, which begins to run in the turn in which it gets the lock. */
export type Work = (held: Held) => Promise<void>;

/** Runs the code of a caller under the lock or the permit `n`. */
export type Run = (locks: LockService, terms: Terms, work: Work) => Promise<unknown>;

const under =
  (options: LockOptions): Run =>
  (locks, terms, work) =>
    locks.withLock('n', { ...options, ...terms } as LockOptions, work);

const withPermit: Run = async (locks, { lease, wait }, work) => {
  const seats = locks.getPermitExpirableSemaphore('n');
  await seats.trySetPermits(1);
  const permit = await seats.acquire({ ...(lease === undefined ? { renew: true } : { lease }), wait });
  await work(permit);
  await permit.release();
};

/** The kinds of which one caller at a time has a hold, unless the other reads. */
export const KINDS = {
  reentrant: under({}),
  fair: under({ fair: true }),
  fenced: under({ fenced: true }),
  spin: under({ kind: 'spin' }),
  'non-reentrant': under({ kind: 'nonReentrant' }),
  'fair non-reentrant': under({ kind: 'nonReentrant', fair: true }),
  read: under({ mode: 'read' }),
  write: under({ mode: 'write' }),
  limit: under({ limit: 1 }),
  'fair limit': under({ limit: 1, fair: true }),
  permit: withPermit,
} satisfies Record<string, Run>;
