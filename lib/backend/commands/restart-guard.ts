import { LockUnavailableError } from '../../errors.js';
import type { MonotonicScheduler } from '../../time/monotonic-scheduler.js';
import type { ServerIdentity } from './server-identity.js';

/**
 * Keeps a server from granting locks while it may have forgotten their holders: after a restart, since persistence may
 * have lost the last writes, and after a fail-over, since replication does. No new lock is granted until the longest
 * lease that may have been forgotten is over; held locks are renewed and released as usual (R13).
 */
export class RestartGuard {
  private known: string | undefined;
  private until = Number.NEGATIVE_INFINITY;

  /** @param length The longest lease in use, ms; longer ones are not covered. */
  constructor(
    private readonly scheduler: MonotonicScheduler,
    private readonly length: number,
  ) {}

  /** To be called on every new connection, before anything is granted over it. */
  observe({ runId, replicationId, wasPromoted, uptime }: ServerIdentity): void {
    const identity = `${runId} ${replicationId}`;
    if (this.known === identity) return;
    // A server seen for the first time may have been promoted a moment ago; it does not report when.
    const isFresh = this.known === undefined && !wasPromoted;
    this.known = identity;
    this.guard(isFresh ? this.length - uptime : this.length);
  }

  /** Called when the server has replaced another one, whose last grants it may lack. */
  promoted(): void {
    this.guard(this.length);
  }

  get isOn(): boolean {
    // Usually it was over long ago, and the clock need not be read.
    if (this.until === Number.NEGATIVE_INFINITY) return false;
    if (this.until > this.scheduler.now()) return true;
    this.until = Number.NEGATIVE_INFINITY;
    return false;
  }

  /** The error to refuse grants with now; `undefined`: grants are allowed. */
  refusal(name: string | undefined): LockUnavailableError | undefined {
    if (!this.isOn) return undefined;
    const left = Math.ceil(this.until - this.scheduler.now());
    const why = 'Redis was started or replaced recently and may have lost current holds';
    return new LockUnavailableError(`${why}; no lock is granted for another ${left} ms`, 'refused', false, {
      lockName: name,
      details: { guardedFor: left },
    });
  }

  private guard(ms: number): void {
    this.until = Math.max(this.until, this.scheduler.now() + ms);
  }
}
