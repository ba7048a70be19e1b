import type { LocalFlights } from './local-flights.js';
import type { Lookup } from '../backend/kinds/single-flight/result-store.js';
import { LockAbortedError, LockConflictError, LockTimeoutError, wrongKeyType } from '../errors.js';
import type { AcquireTerms, LockRequest } from '../waiting/acquire.options.js';
import { flightLock, flightResult, fullName } from '../keys/redisson-keys.js';
import { runAndStart } from '../context/run-in-scope.js';
import { FETCHED_WITHIN_MS, type FlightPlan } from './single-flight.options.js';
import { EnclosingHolds } from '../reentrancy/enclosing-holds.js';
import type { Hold } from '../holds/hold.js';
import { retryWhileWaiting } from '../waiting/retry-while-waiting.js';
import type { ErrorCodec } from './error-codec.js';
import { read, returned, type FlightResult, valueOf, write } from './flight-result.js';
import { type LockServices, ReentrantLock } from '../locks/reentrant-lock.js';
import type { AcquireContext } from '../waiting/acquirer.js';

/** Whether the error concerns only this caller (time-out, conflict, abort) and must not be shared. */
const concernsOneCaller = (error: unknown): boolean =>
  error instanceof LockTimeoutError || error instanceof LockConflictError || error instanceof LockAbortedError;

type Work = (hold: Hold) => unknown;

/** Services shared by the single flights of one connection. */
export interface FlightServices extends LockServices {
  /** Executions in progress in this process. */
  readonly flights: LocalFlights;
}

/**
 * Runs a function once for all concurrent callers, in all processes (Go: `singleflight`). Callers of one process join
 * one local flight; flights of different processes wait for each other by a lock, next to which the result is stored.
 */
export class SingleFlight {
  private readonly name: string;
  private readonly lock: ReentrantLock;
  private readonly errors: ErrorCodec;

  /**
   * @param name The name of the result as a caller gives it, without the key prefix.
   * @throws LockNameError
   */
  constructor(
    private readonly runtime: FlightServices,
    name: string,
    private readonly template: string | undefined,
    private readonly plan: FlightPlan,
  ) {
    this.name = fullName(name, runtime.defaults);
    this.lock = new ReentrantLock(runtime, flightLock(this.name), template);
    this.errors = runtime.flights.errors.knowing(plan.errors);
  }

  /**
   * Returns the result of `work`, or of an earlier caller's: decoded from JSON for every caller.
   * @throws the error of `work`, LockOptionsError for a lease that is too long or a note without a record, and all errors of acquiring a lock.
   */
  async share(request: LockRequest, work: Work): Promise<unknown> {
    const terms = this.lock.accept(request);
    // A call from inside the function itself would deadlock, so it runs the function directly.
    if (this.isRunningHere()) return this.runDirectly(terms, work);
    for (;;) {
      const underWay = this.runtime.flights.get(this.name);
      const result = await (underWay ? underWay.join(this.asked(terms)) : this.begin(terms, work));
      if (result) return valueOf(result);
    }
  }

  private asked({ limit }: AcquireTerms): AcquireContext {
    return { what: 'Flight', name: this.name, template: this.template, limit };
  }

  /** A scope is no proof: within one scope the running call may be a sibling of this one. */
  private isRunningHere(): boolean {
    const covering = new EnclosingHolds(this.runtime, this.lock.name).covering('exclusive');
    return covering?.context.kind === 'hold';
  }

  private async runDirectly(terms: AcquireTerms, work: Work): Promise<unknown> {
    const { hold, run, leave } = await this.lock.enter(terms);
    try {
      return valueOf(await this.run(() => run(() => runAndStart(() => work(hold)))));
    } finally {
      await leave();
    }
  }

  private async begin(terms: AcquireTerms, work: Work): Promise<FlightResult> {
    const { name } = this;
    const { flights } = this.runtime;
    const flight = flights.begin(name);
    try {
      const result = await this.findOrRun(terms, work);
      flights.end(name);
      flight.resolve(result);
      return result;
    } catch (error) {
      flights.end(name);
      if (concernsOneCaller(error)) flight.cancel();
      else flight.resolve({ ended: 'threw', error });
      throw error;
    }
  }

  private async findOrRun(terms: AcquireTerms, work: Work): Promise<FlightResult> {
    const find = () => retryWhileWaiting(this.asked(terms), () => this.runtime.backend.singleFlight.find(this.name));
    const found = await find();
    const before = this.usableResult(found, found.now);
    if (before) return before;
    const { hold, run, leave } = await this.lock.enter(terms);
    try {
      const meanwhile = this.usableResult(await find(), found.now);
      if (meanwhile) return meanwhile;
      const result = await this.run(() => run(() => runAndStart(() => work(hold))));
      await this.publishResult(hold.grant.owner, result);
      return result;
    } finally {
      await leave();
    }
  }

  /** The stored outcome, if a caller that came at `cameAt` (the backend's clock) may use it. */
  private usableResult({ stored, now }: Lookup, cameAt: number): FlightResult | undefined {
    if (!stored) return undefined;
    const { text, savedAt } = stored;
    const isShared = savedAt >= cameAt;
    if (!isShared && now - savedAt >= this.plan.ttl) return undefined;
    const result = read(text, this.errors);
    if (!result) throw wrongKeyType(flightResult(this.name), 'string that no flight has left');
    // An error from before the call need not occur again.
    return isShared || result.ended === 'returned' ? result : undefined;
  }

  private async run(work: () => unknown): Promise<FlightResult> {
    try {
      return returned(await work(), this.name);
    } catch (error) {
      return { ended: 'threw', error };
    }
  }

  /** Stores the result for waiters in other processes. If that fails, they run their own. */
  private async publishResult(owner: Hold['owner'], result: FlightResult): Promise<void> {
    const { name, plan, runtime } = this;
    const ttl = result.ended === 'returned' ? plan.ttl : 0;
    try {
      const text = write(result, this.errors);
      await runtime.backend.singleFlight.save({ name, owner, text, keep: ttl + FETCHED_WITHIN_MS });
    } catch (error) {
      runtime.events.emit({ type: 'result-not-shared', lockName: name, error });
    }
  }
}
