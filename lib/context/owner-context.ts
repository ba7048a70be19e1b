import { AsyncLocalStorage } from 'node:async_hooks';
import { runInBackground } from '../time/background.js';

/**
 * The context of one running callback, as the library tells owners apart. Code is inside until the callback settles;
 * once closed a context owns nothing, so detached work that outlives its callback has no owner.
 */
export type OwnerContext = HoldContext | ScopeContext | RequestContext | BeneficiaryContext;

/** A context that may hold locks. */
export type HoldingContext = HoldContext | ScopeContext;

/** The parts of a context of any kind: the enclosing context, and an end. */
abstract class NestedContext {
  /** The context that was the innermost open one when this one was entered; it may have closed since. */
  readonly enclosing: OwnerContext | undefined;
  private open = true;
  private closeListeners: (() => void)[] | undefined;

  constructor(outer?: OwnerContext) {
    this.enclosing = innermostOpen(outer);
  }

  get isOpen(): boolean {
    return this.open;
  }

  /** The next open context outwards. Closed ones are skipped, so a loop that reschedules itself does not grow a chain. */
  get outer(): OwnerContext | undefined {
    return innermostOpen(this.enclosing);
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

/** The callback runs under a hold. */
export class HoldContext extends NestedContext {
  readonly kind = 'hold';

  constructor(
    readonly hold: object,
    outer: OwnerContext | undefined,
  ) {
    super(outer);
  }
}

/** All that the callback acquires has one owner. */
export class ScopeContext extends NestedContext {
  readonly kind = 'scope';
}

/** The callback works for a client that may disconnect. */
export class RequestContext extends NestedContext {
  readonly kind = 'request';

  /** @param callerGone Aborts when the client disconnects. */
  constructor(
    readonly callerGone: AbortSignal,
    outer: OwnerContext | undefined,
  ) {
    super(outer);
  }
}

/**
 * The callback acquires for a beneficiary, such as a transaction, whose scope all calls made for it share. Locks that
 * the caller holds come first; everything else is acquired in the shared scope, even if the caller is in a scope of its
 * own: the beneficiary keeps the lock, and other calls for it may come from elsewhere.
 */
export class BeneficiaryContext extends NestedContext {
  readonly kind = 'beneficiary';

  constructor(
    readonly scope: ScopeContext,
    outer: OwnerContext | undefined,
  ) {
    super(outer);
  }
}

const innermostOpen = (context: OwnerContext | undefined): OwnerContext | undefined => {
  let candidate = context;
  while (candidate && !candidate.isOpen) candidate = candidate.enclosing;
  return candidate;
};

/**
 * The library's only AsyncLocalStorage: every further one would be copied at each promise of the process. `enterWith`
 * is never used, because it leaks into the code that awaits the function calling it.
 */
const contexts = new AsyncLocalStorage<OwnerContext | undefined>();

/** The innermost open context of the running code. */
export const currentContext = (): OwnerContext | undefined => innermostOpen(contexts.getStore());

/**
 * The open contexts of the running code, innermost first; the scope of its beneficiary comes last.
 * @param from The context of other code.
 */
export function* enclosingContexts(from = contexts.getStore()): Generator<OwnerContext> {
  const innermost = innermostOpen(from);
  for (let context = innermost; context; context = context.outer) yield context;
  if (innermost?.kind === 'beneficiary') yield innermost.scope;
}

/** The scope in which the running code acquires what no enclosing context holds, if it is in one. */
export const currentScope = (): ScopeContext | undefined => {
  const innermost = currentContext();
  if (innermost?.kind === 'beneficiary') return innermost.scope;
  for (let context: OwnerContext | undefined = innermost; context; context = context.outer)
    if (context.kind === 'scope') return context;
  return undefined;
};

/** The scope of the beneficiary, such as a transaction, that the running code acquires for. */
export const currentBeneficiary = (): ScopeContext | undefined => {
  const innermost = currentContext();
  return innermost?.kind === 'beneficiary' ? innermost.scope : undefined;
};

/** Aborts when the client disconnects that the running code works for; absent if its connection is not observed. */
export const currentCallerGone = (): AbortSignal | undefined => {
  for (const context of enclosingContexts()) if (context.kind === 'request') return context.callerGone;
  return undefined;
};

/** Runs `fn` inside a context. */
export const runInContext = <T>(context: OwnerContext, fn: () => T): T => contexts.run(context, fn);

/**
 * Runs `fn` outside any context, also those of an `AsyncLocalStorage` of the application. Sockets, subscriptions and
 * everything else that outlives a call start here: created inside an owner's context they would keep it for ever, and
 * every later message would run as that owner. Timers of `MonotonicScheduler` run here anyway.
 */
export const runOutsideContexts = runInBackground;
