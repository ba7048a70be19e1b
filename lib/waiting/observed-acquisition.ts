import { LockAbortedError, LockConflictError, LockShutdownError, LockTimeoutError } from '../errors.js';
import { areTraced, beginHold, beginWait, endWait, type WaitTrace } from '../events/hold-tracing.js';
import type { OfLock } from '../events/life-cycle-events.js';
import type { LockEvents } from '../events/lock-events.js';
import type { WaitLimit } from '../time/wait-limit.js';

/** A hold or a permit that an acquisition led to. */
export interface Taken {
  /** The object that stands for the hold until its end. Absent for permits without an owner. */
  readonly hold?: object;
  readonly owner: string | undefined;
  /** Milliseconds. */
  readonly waited: number;
}

const failureType = (error: unknown): 'timed-out' | 'conflict' | 'cancelled' | 'failed' => {
  if (error instanceof LockTimeoutError) return 'timed-out';
  if (error instanceof LockConflictError) return 'conflict';
  return error instanceof LockAbortedError || error instanceof LockShutdownError ? 'cancelled' : 'failed';
};

/**
 * Tells listeners of the steps of one acquisition. Made only if {@link isObserved}. Its usual events are written field by
 * field: V8 takes several times as long for an object with a spread in the middle.
 */
export class ObservedAcquisition {
  /** Absent: nothing was traced when it began. */
  private readonly trace: WaitTrace | undefined;
  private isContended = false;
  private isReentry = false;

  constructor(
    private readonly events: LockEvents,
    private readonly lock: OfLock,
    private readonly limit: WaitLimit,
  ) {
    if (!areTraced()) return;
    this.trace = { ...lock, isContended: false };
    beginWait(this.trace);
  }

  /** Called when the caller has to wait; once or more often. */
  onWaiting(): void {
    if (this.isContended) return;
    this.isContended = true;
    if (this.trace) this.trace.isContended = true;
    const { connection, kind, lockName, template, method } = this.lock;
    this.events.emit({ type: 'waiting', connection, kind, lockName, template, method });
  }

  /** Called when the caller joins a hold of its own. */
  onReentry(): void {
    this.isReentry = true;
    if (this.trace) this.trace.isReentry = true;
  }

  /** Tells of the outcome, which the returned promise passes on. */
  follow<T>(acquiring: Promise<T>, taken: (got: T) => readonly [Taken, ...Taken[]]): Promise<T> {
    return acquiring.then(
      (got) => {
        this.succeeded(taken(got));
        return got;
      },
      (error: unknown) => {
        this.failed(error);
        throw error;
      },
    );
  }

  private succeeded(taken: readonly [Taken, ...Taken[]]): void {
    const { lock, trace } = this;
    if (trace) {
      trace.owner = taken[0].owner;
      endWait(trace);
    }
    for (const { hold, owner, waited } of taken) {
      this.tell(owner, Math.round(waited));
      if (trace && hold && !this.isReentry) beginHold(hold, { ...lock, owner, wait: trace });
    }
  }

  private tell(owner: string | undefined, waited: number): void {
    const { events, isContended } = this;
    const { connection, kind, lockName, template, method } = this.lock;
    if (this.isReentry) {
      events.emit({ type: 're-entered', connection, kind, lockName, template, method, owner, waited });
    } else {
      events.emit({ type: 'acquired', connection, kind, lockName, template, method, owner, waited, isContended });
    }
  }

  private failed(error: unknown): void {
    const { events, lock, trace, limit } = this;
    const type = failureType(error);
    const waited = Math.round(limit.waited);
    if (trace) {
      // One attempt was allowed, so there was no wait, and another owner had the lock.
      if (type === 'conflict') trace.isContended = true;
      trace.error = error;
      endWait(trace);
    }
    if (type === 'conflict') events.emit({ type, ...lock });
    else if (type === 'failed') events.emit({ type, ...lock, waited, error });
    else events.emit({ type, ...lock, waited });
  }
}

/** Whether an acquisition has any listener or tracer. On the hot path, see docs/architecture.md#hot-path. */
export const isObserved = (events: LockEvents): boolean => events.hearsAcquisitions || areTraced();
