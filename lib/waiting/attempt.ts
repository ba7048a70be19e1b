import type { LockBackend } from '../backend/lock-backend.js';
import { LockUnavailableError } from '../errors.js';
import type { LockEvents } from '../observability/lock-events.js';
import type { OwnerId, OwnerIds } from '../scope/owner.js';
import type { Stopwatch } from '../time/stopwatch.js';

/** A lock that was taken for a new owner. */
export interface Acquired {
  readonly owner: OwnerId;
  /** Started just before the command left. */
  readonly sent: Stopwatch;
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
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly backend: LockBackend,
    private readonly owners: OwnerIds,
    private readonly events: LockEvents,
  ) {}

  /**
   * One try, under an owner id that no other try ever uses: one of unknown outcome is undone by its id, which must not
   * touch the next.
   */
  acquire(name: string, lease: number): Promise<Acquired | Busy> {
    return this.pending(this.tryFor(name, lease));
  }

  /** Releases a lock that nobody wants any more. The backend goes on trying where the first try fails. */
  giveBack(name: string, { owner, lease }: Acquired): void {
    const release = this.backend.lock.release({ name, owner, lease });
    this.pending(release).catch((error: unknown) =>
      this.events.emit({ type: 'release-failed', lockName: name, owner, error }),
    );
  }

  /** Resolves when no try is on its way, and nothing is being given back. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  private async tryFor(name: string, lease: number): Promise<Acquired | Busy> {
    const owner = this.owners.next();
    const reply = await this.backend.lock.acquire({ name, owner, lease });
    if (reply.outcome === 'busy') return reply;
    const acquired = { owner, sent: reply.sent, lease };
    const age = reply.sent.elapsed;
    if (age <= lease / 2) return acquired;
    // What is handed out must be worth having: a lease mostly spent on the way is given back.
    this.giveBack(name, acquired);
    const spent = `The reply took ${Math.round(age)} ms, most of the lease of ${lease} ms`;
    throw new LockUnavailableError(spent, 'refused', false, { lockName: name });
  }

  private pending<T>(work: Promise<T>): Promise<T> {
    const noted = work.finally(() => this.underWay.delete(noted));
    this.underWay.add(noted);
    return noted;
  }
}
