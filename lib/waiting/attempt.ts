import type { LockBackend } from '../backend/lock-backend.js';
import { LockUnavailableError } from '../errors.js';
import type { LockEvents } from '../observability/lock-events.js';
import type { OwnerId, OwnerIds } from '../scope/owner.js';
import type { SteadyScheduler } from '../time/steady-scheduler.js';

/** A lock that was taken for a new owner. */
export interface Acquired {
  readonly owner: OwnerId;
  /** The client's clock just before the command left. */
  readonly sentAt: number;
  /** Milliseconds the server granted. */
  readonly lease: number;
}

/** Somebody else has it. */
export interface Busy {
  readonly holder: OwnerId;
  /** Milliseconds until that lease ends by itself; -1 where it never does. */
  readonly remaining: number;
}

/** One try at a time to take locks for new owners. */
export class Attempts {
  constructor(
    private readonly backend: LockBackend,
    private readonly owners: OwnerIds,
    private readonly scheduler: SteadyScheduler,
    private readonly events: LockEvents,
  ) {}

  /**
   * One try, under an owner id that no other try ever uses: one of unknown outcome is undone by its id, which must not
   * touch the next.
   */
  async acquire(name: string, lease: number): Promise<Acquired | Busy> {
    const owner = this.owners.next();
    const reply = await this.backend.lock.acquire({ name, owner, count: 1, lease });
    if (reply.outcome === 'busy') return reply;
    if (reply.outcome === 'lost')
      throw new LockUnavailableError('The backend lost a new hold', 'refused', false, { lockName: name });
    const acquired = { owner, sentAt: reply.sentAt, lease };
    const age = this.scheduler.now() - reply.sentAt;
    if (age <= lease / 2) return acquired;
    // What is handed out must be worth having: a lease mostly spent on the way is given back.
    this.giveBack(name, acquired);
    const spent = `The reply took ${Math.round(age)} ms, most of the lease of ${lease} ms`;
    throw new LockUnavailableError(spent, 'refused', false, { lockName: name });
  }

  /** Releases a lock that nobody wants any more. The backend goes on trying where the first try fails. */
  giveBack(name: string, { owner, lease }: Acquired): void {
    this.backend.lock
      .release({ name, owner, count: 0, lease })
      .catch((error: unknown) => this.events.emit({ type: 'release-failed', lockName: name, owner, error }));
  }
}
