import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The context of one running callback: under a hold, in its own scope, or for a caller that may disconnect. Code is
 * inside until the callback settles; once closed it owns nothing, so detached work that outlives its callback has no
 * owner.
 */
export class OwnerContext {
  private readonly outer: OwnerContext | undefined;
  private open = true;
  private closeListeners: (() => void)[] | undefined;

  /**
   * @param hold The hold that the callback runs under; `undefined` makes a scope, in which all acquisitions have one
   *   owner.
   * @param outer The enclosing context. Closed ones are skipped, so a loop that reschedules itself from inside does not
   *   grow a chain.
   * @param callerGone Aborts when the caller that the work is done for disconnects; the context is not a scope then.
   */
  constructor(
    readonly hold: object | undefined,
    outer?: OwnerContext,
    readonly callerGone?: AbortSignal,
  ) {
    this.outer = OwnerContext.innermostOpen(outer);
  }

  static innermostOpen(context: OwnerContext | undefined): OwnerContext | undefined {
    let candidate = context;
    while (candidate && !candidate.open) candidate = candidate.outer;
    return candidate;
  }

  get isScope(): boolean {
    return this.hold === undefined && this.callerGone === undefined;
  }

  /** The scope that code in this context acquires in: the innermost enclosing one. */
  get acquiresIn(): OwnerContext | undefined {
    for (const context of this.outwards()) if (context.isScope) return context;
    return undefined;
  }

  /** The scope of the object that the running call acquires locks for, such as a transaction, if any. */
  get beneficiary(): OwnerContext | undefined {
    return undefined;
  }

  /** This context and the enclosing ones that are open, innermost first. */
  *outwards(): Generator<OwnerContext> {
    for (let context = OwnerContext.innermostOpen(this); context; context = OwnerContext.innermostOpen(context.outer))
      yield context;
  }

  close(): void {
    this.open = false;
    for (const listener of this.closeListeners?.splice(0) ?? []) listener();
  }

  /** Calls `listener` when the context closes, or at once if it is closed. */
  whenClosed(listener: () => void): void {
    if (this.open) (this.closeListeners ??= []).push(listener);
    else listener();
  }
}

/**
 * The library's only AsyncLocalStorage: every further one would be copied at each promise of the process. `enterWith`
 * is never used, because it leaks into the code that awaits the function calling it.
 */
const contexts = new AsyncLocalStorage<OwnerContext | undefined>();

/** The innermost open context of the running code. */
export const currentContext = (): OwnerContext | undefined => OwnerContext.innermostOpen(contexts.getStore());

/** Aborts when the caller disconnects that the running code works for; absent if its connection is not observed. */
export const currentCallerGone = (): AbortSignal | undefined => {
  for (const { callerGone } of currentContext()?.outwards() ?? []) if (callerGone) return callerGone;
  return undefined;
};

/** Runs `fn` inside a context. */
export const runInContext = <T>(context: OwnerContext, fn: () => T): T => contexts.run(context, fn);

/**
 * Runs `fn` outside any context. Sockets, subscriptions, timers and everything else that outlives a call start here:
 * created inside an owner's context they would keep it for ever, and every later message would run as that owner.
 */
export const runOutsideContexts = <T>(fn: () => T): T => contexts.run(undefined, fn);
