import { isPassing } from '../errors.js';
import type { BackoffSequence } from './backoff.js';
import { askersAfter } from './queue/releases.js';
import { type QueueOwner, WaitQueue } from './queue/wait-queue.js';
import { conflict, refusal } from './wait-errors.js';
import type { AttemptResult, AttemptStrategy, NextEntry, LastOutcome } from './attempt-strategy.js';
import type { ReleaseOutcome } from '../backend/lock-operations.js';
import type { Acquirer, HandOver, AcquireContext, WaitDependencies } from './acquirer.js';

/**
 * A first attempt. `result` is cleared when it settles: V8 keeps outgrown Map tables alive, and with them the promise.
 */
interface FirstAttempt<Got> {
  result: Promise<AttemptResult<Got>> | undefined;
}

/** Acquires by one attempt, or by waiting in the wait queue that this process has for the name. */
export class QueuedAcquirer<Wanted, Got extends object>
  implements Acquirer<Wanted, Got>, HandOver<Got>, QueueOwner<Wanted, Got>
{
  private readonly queues = new Map<string, WaitQueue<Wanted, Got>>();
  /** First attempts in flight, made for callers that found no waiters. */
  private readonly firstAttempts = new Map<string, FirstAttempt<Got>>();

  /** @param channelOf Channel that announces that another attempt may succeed; absent if nothing is announced. */
  constructor(
    private readonly attempts: AttemptStrategy<Wanted, Got>,
    private readonly dependencies: WaitDependencies,
    private readonly channelOf?: (name: string) => string,
  ) {}

  /** @param backoff Pauses between attempts if releases are not announced. */
  acquire<T>(asked: AcquireContext, wanted: Wanted, admit: (got: Got) => T, backoff?: BackoffSequence): Promise<T> {
    const { name, limit } = asked;
    const { ended } = limit;
    if (ended?.cause === 'aborted') return Promise.reject(refusal(asked, ended, undefined));
    if (ended) return tryOnce(this.attempts, asked, wanted).then(admit);
    const isFirst = !this.queues.has(name) && !this.firstAttempts.has(name);
    const skipsQueue = isFirst && !limit.isAbortable && !this.attempts.isShared;
    if (skipsQueue) return this.acquireFirst(asked, wanted, admit, backoff);
    return this.queueFor(name).enter(asked, wanted, admit, backoff);
  }

  /**
   * With no waiters: one attempt without queue, timer or listener. Those are created only if the lock is busy. On the
   * hot path, see docs/architecture.md#hot-path.
   */
  private acquireFirst<T>(
    asked: AcquireContext,
    wanted: Wanted,
    admit: (got: Got) => T,
    backoff: BackoffSequence | undefined,
  ): Promise<T> {
    const { name, limit } = asked;
    const result = this.attempts.attempt(name, wanted);
    const firstAttempt: FirstAttempt<Got> = { result };
    this.firstAttempts.set(name, firstAttempt);
    const clear = (): void => {
      this.firstAttempts.delete(name);
      firstAttempt.result = undefined;
    };
    const wait = (outcome: LastOutcome): Promise<T> => {
      const { ended } = limit;
      if (ended) throw refusal(asked, ended, outcome);
      asked.observer?.onWaiting();
      return this.queueFor(name).enterFirst(asked, wanted, admit, backoff, outcome);
    };
    return result.then(
      (found) => {
        clear();
        if (!('got' in found)) return wait(found);
        if (!limit.aborted) return admit(found.got);
        this.attempts.undo(name, found.got);
        return wait(undefined);
      },
      (error: unknown) => {
        clear();
        if (!isPassing(error)) throw error;
        return wait(error);
      },
    );
  }

  handOver(name: string, got: Got): boolean {
    return this.queues.get(name)?.handOver(got) ?? false;
  }

  beforeRelease(name: string): NextEntry<Got> | undefined {
    return this.queues.get(name)?.beforeRelease();
  }

  afterRelease(name: string, outcome: ReleaseOutcome | undefined, again?: NextEntry<Got>): void {
    const queue = this.queues.get(name);
    if (queue) queue.afterRelease(outcome, again);
    else {
      // Its queue has closed meanwhile, so that the entry takes nothing.
      again?.afterRelease(outcome);
      const others = askersAfter(outcome);
      if (others > 0 && this.channelOf) this.queueFor(name).yieldTo(others);
    }
  }

  settled(): Promise<void> {
    return this.attempts.settled();
  }

  get contended(): number {
    let count = 0;
    for (const queue of this.queues.values()) if (!queue.isIdle) count += 1;
    return count;
  }

  *waiters(): Generator<AcquireContext> {
    for (const { waiters } of this.queues.values()) for (const { context } of waiters) yield context;
  }

  firstAttempt(name: string): Promise<AttemptResult<Got>> | undefined {
    return this.firstAttempts.get(name)?.result;
  }

  onIdle(name: string, queue: WaitQueue<Wanted, Got>): void {
    if (this.queues.get(name) === queue) this.queues.delete(name);
  }

  private queueFor(name: string): WaitQueue<Wanted, Got> {
    let queue = this.queues.get(name);
    if (!queue) {
      queue = new WaitQueue(name, this.channelOf?.(name), this.attempts, this.dependencies, this);
      this.queues.set(name, queue);
    }
    return queue;
  }
}

/** The single attempt of a caller that does not wait. */
export const tryOnce = async <Wanted, Got extends object>(
  attempts: AttemptStrategy<Wanted, Got>,
  asked: AcquireContext,
  wanted: Wanted,
): Promise<Got> => {
  const { name, limit } = asked;
  const attempt = attempts.attempt(name, wanted);
  // A signal may fire while the only attempt is in flight.
  const end = limit.isAbortable ? await limit.untimed.endBefore(attempt) : undefined;
  if (end) {
    const undo = (late: AttemptResult<Got>): void => void ('got' in late && attempts.undo(name, late.got));
    // A failed attempt has acquired nothing, and its caller is told of the abort.
    void attempt.then(undo, () => {});
    throw refusal(asked, end, undefined);
  }
  const result = await attempt;
  const { ended } = limit;
  if (ended?.cause === 'aborted') {
    if ('got' in result) attempts.undo(name, result.got);
    throw refusal(asked, ended, undefined);
  }
  if ('got' in result) return result.got;
  throw limit.wait === 0 ? conflict(asked, result) : refusal(asked, { cause: 'elapsed' }, result);
};
