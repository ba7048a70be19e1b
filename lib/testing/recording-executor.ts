import type { CallHandler, ExecutionContext } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type LockedCall, LockedExecutor, type SharedCall } from '../decorators/locked.executor.js';
import type { ConnectionRegistry } from '../runtime/connection-registry.js';

/** A call of a method or handler that asked for locks. */
export interface LockedCallRecord {
  /** The decorator as written in source: `@Locked`. */
  readonly decorator: string;
  /** Class and method: `OrderService.pay`. */
  readonly method: string;
  /** The names that the key made, without the prefix of the connection. */
  readonly names: readonly string[];
  /** The named connection; `undefined`: the default one. */
  readonly connection: string | undefined;
}

type Keyed = Pick<LockedCall, 'key'> & { readonly plan: { readonly connection: string | undefined } };

/** Runs locked methods, and records each call whose key made names. */
export class RecordingExecutor extends LockedExecutor {
  constructor(
    connections: ConnectionRegistry,
    private readonly record: (call: LockedCallRecord) => void,
  ) {
    super(connections);
  }

  override aroundPromise(call: LockedCall, proceed: () => unknown): Promise<unknown> {
    return super.aroundPromise(this.recorded(call, call.method), proceed);
  }

  override aroundObservable(call: LockedCall, proceed: () => Observable<unknown>): Observable<unknown> {
    return super.aroundObservable(this.recorded(call, call.method), proceed);
  }

  override aroundIterable(call: LockedCall, proceed: () => AsyncIterable<unknown>): AsyncIterable<unknown> {
    return super.aroundIterable(this.recorded(call, call.method), proceed);
  }

  override intercept(
    called: Omit<LockedCall, 'callerGone'>,
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> {
    return super.intercept(this.recorded(called, called.method), context, next);
  }

  override aroundShared(call: SharedCall, proceed: () => unknown): Promise<unknown> {
    return super.aroundShared(this.recorded(call, call.place), proceed);
  }

  /** @param origin Decorator and method. */
  private recorded<C extends Keyed>(call: C, origin: string): C {
    const [decorator = '', method = ''] = origin.split(' ');
    const key = (maxNames: number): string | readonly string[] => {
      const names = call.key(maxNames);
      this.record({
        decorator,
        method,
        names: typeof names === 'string' ? [names] : [...names],
        connection: call.plan.connection,
      });
      return names;
    };
    return { ...call, key };
  }
}
