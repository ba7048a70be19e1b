import type { LockOperations } from '../backend/lock-operations.js';
import type { LockEvents } from '../events/lock-events.js';
import type { OwnerIds } from '../context/ids.js';
import { type Acquired, LockAttempts } from './lock-attempts.js';

/** For how long a lock may go from one to the next inside a process before it is really released. */
export interface HandOverLimits {
  /** How often at the most; 0: never. */
  readonly max: number;
  /** Milliseconds, counted from before the command left that got it from the server. */
  readonly ms: number;
}

/**
 * Tries for locks that go to the next of this process without a round trip: the server goes on counting the owner that it
 * granted to. Whoever gets one so gets its lease as it is, which therefore has to be as long as the one it wants, and new.
 */
export class HandOverAttempts extends LockAttempts {
  constructor(
    locks: Pick<LockOperations, 'acquire' | 'release'>,
    owners: OwnerIds,
    events: LockEvents,
    private readonly handOver: HandOverLimits,
  ) {
    super(locks, owners, events);
  }

  transfer(acquired: Acquired, wanted: number): Acquired | undefined {
    const { sent, lease, handed = 0 } = acquired;
    const { max, ms } = this.handOver;
    if (handed >= max || lease !== wanted || sent.elapsed >= Math.min(ms, lease / 4)) return undefined;
    return { ...acquired, handed: handed + 1 };
  }
}
