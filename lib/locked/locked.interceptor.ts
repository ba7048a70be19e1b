import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { isObservable, type Observable } from 'rxjs';
import { LockConflictError, LockTimeoutError } from '../errors.js';
import type { LockService } from '../lock.service.js';
import type { Guard } from '../primitives/multi-entry.js';
import type { LockedPlan } from './locked.options.js';
import { observableHeld, observableUnder } from './locked.returns.js';
import { responseDone } from './response.js';

/** One call that is to run under locks. */
export interface LockedCall {
  readonly plan: LockedPlan;
  /** The template or function that made the key, for errors. */
  readonly template: string | undefined;
  readonly args: readonly unknown[];
  /** Names the locks; may throw. */
  readonly key: () => string | readonly string[];
}

/**
 * The advice around every locked method and handler: key → locks → run → release. The result or error of the method is
 * what comes out, whatever happens to the lock meanwhile; who must stop in time listens to the hold's signal.
 */
export class LockedInterceptor {
  /** @param afterPatience Runs a task once nobody can be expected any more, and returns how to call it off. */
  constructor(
    private readonly locks: LockService,
    private readonly afterPatience: (task: () => void) => () => void,
  ) {}

  /** Around a method that returns a promise, or a value that becomes one. */
  async aroundPromise(call: LockedCall, proceed: () => unknown): Promise<unknown> {
    let guard: Guard;
    try {
      guard = await this.enter(call);
    } catch (error) {
      return this.instead(call, error);
    }
    let lasting: unknown;
    try {
      const result = await guard.run(proceed);
      if (!isObservable(result)) return result;
      lasting = result;
      return observableHeld(guard, result, this.afterPatience);
    } finally {
      if (lasting === undefined) await guard.leave();
    }
  }

  /** Around a method that returns an Observable: each subscription is a call. */
  aroundObservable(call: LockedCall, proceed: () => Observable<unknown>): Observable<unknown> {
    return observableUnder({
      enter: (signal) => this.enter(call, signal),
      instead: (error) => this.instead(call, error),
      source: proceed,
    });
  }

  /** Around everything that Nest does for a request inside this interceptor, until the response is complete. */
  intercept(call: LockedCall, context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return observableUnder({
      enter: (signal) => this.enter(call, signal),
      instead: (error) => this.instead(call, error),
      source: () => next.handle(),
      until: () => responseDone(context),
    });
  }

  private async enter({ plan, template, key }: LockedCall, signal?: AbortSignal): Promise<Guard> {
    const names = key();
    const request = plan.request(this.locks.defaultWait, signal);
    return this.locks.enterAll(typeof names === 'string' ? [names] : names, template, request);
  }

  private async instead({ plan, args }: LockedCall, error: unknown): Promise<unknown> {
    const conflict = error instanceof LockConflictError || error instanceof LockTimeoutError;
    if (!conflict || plan.onConflict === 'throw') throw error;
    return plan.onConflict === 'skip' ? undefined : plan.onConflict({ error, args });
  }
}
