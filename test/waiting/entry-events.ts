import type { WaitOutcome, WaitRequest } from '../../lib/backend/kinds/lock/granting-lock.js';
import { type MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import type { NextEntry } from '../../lib/waiting/attempt-strategy.js';
import { type Acquired, leaseSpent } from '../../lib/waiting/lock-attempts.js';
import { grantMessage } from './held-granting-lock.js';
import { unavailable } from './held-requests.js';

export const LEASE = 30_000;

/** How often each kind of event may happen in one sequence. */
export interface Budget {
  readonly attempts: number;
  readonly messages: number;
  readonly withdrawals: number;
  readonly releases: number;
  /** Whether events that are handled alike are left out. */
  readonly isBrief: boolean;
}

const ALIKE: ReadonlySet<string> = new Set(['refused', 'a grant of unknown age', 'a new subscription', 'not-held']);

export const isLeftOut = (event: string, { isBrief }: Budget): boolean => isBrief && ALIKE.has(event);

/** The replies that the server may give, by description. */
export const repliesTo = (
  { isNew }: WaitRequest,
  scheduler: MonotonicScheduler,
): Readonly<Record<string, WaitOutcome | Error>> => ({
  busy: { outcome: 'busy', remaining: 1000, holder: 'other:1' },
  acquired: { outcome: 'acquired', sent: new Stopwatch(scheduler) },
  'acquired long ago': { outcome: 'acquired', sent: new Stopwatch(scheduler, LEASE) },
  'no reply': unavailable('unknown'),
  refused: unavailable('refused'),
  ...(isNew ? {} : { gone: { outcome: 'gone' } as const }),
});

/** Whether the entry can neither be granted any more nor be asked about after this reply. */
export const isUseless = ({ isNew }: WaitRequest, reply: WaitOutcome | Error): boolean => {
  if (reply instanceof Error) return isNew;
  return reply.outcome === 'acquired' && leaseSpent('n', { sent: reply.sent, lease: LEASE }) !== undefined;
};

/** Messages after which only an attempt can tell whether the owner was granted the lock. */
export const missedGrants = (owner: string): Readonly<Record<string, string | undefined>> => ({
  'a grant of unknown age': 'unknown',
  'a new subscription': undefined,
  'an old grant': grantMessage(owner, true),
});

/** A release that carries an entry. */
export interface CarryingRelease {
  readonly again: NextEntry<Acquired>;
  /** `settled`: no copy of it can take effect any more, but its caller was not told yet. */
  phase: 'sent' | 'unanswered' | 'settled' | 'over';
  /** Whether waiters sleep because of this release, or a grant may have been missed during it. */
  owesWakeUp: boolean;
  hasMissed: boolean;
}

/** Lets all promises settle that need no further event. */
export const tick = async (): Promise<void> => {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
};
