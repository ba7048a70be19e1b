import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One callback that is running: under a hold, as a scope of its own, or for a caller who may go away. Code is inside while the callback has not
 * settled; a region that closed gives nothing any more, so work left running detached is nobody.
 */
export class OwnerContext {
  private readonly outer: OwnerContext | undefined;
  private open = true;
  private closeListeners: (() => void)[] | undefined;

  /**
   * @param hold What the callback runs under; `undefined` makes a scope, in which everything acquired has one owner.
   * @param outer The region this one is nested in. Closed ones are skipped, so a loop that reschedules itself from
   *   inside does not grow a chain.
   * @param callerGone Aborts when whoever all this is done for has gone; it is no scope then.
   */
  constructor(
    readonly hold: object | undefined,
    outer?: OwnerContext,
    readonly callerGone?: AbortSignal,
  ) {
    this.outer = OwnerContext.innermostOpen(outer);
  }

  static innermostOpen(region: OwnerContext | undefined): OwnerContext | undefined {
    let candidate = region;
    while (candidate && !candidate.open) candidate = candidate.outer;
    return candidate;
  }

  get isScope(): boolean {
    return this.hold === undefined && this.callerGone === undefined;
  }

  /** The scope that code in this region acquires in: the innermost one around it. */
  get acquiresIn(): OwnerContext | undefined {
    for (const region of this.outwards()) if (region.isScope) return region;
    return undefined;
  }

  /** The scope of what the running call acquires locks for, such as a transaction, if there is one. */
  get beneficiary(): OwnerContext | undefined {
    return undefined;
  }

  /** This region and the ones around it that are open, from the inside out. */
  *outwards(): Generator<OwnerContext> {
    for (let region = OwnerContext.innermostOpen(this); region; region = OwnerContext.innermostOpen(region.outer))
      yield region;
  }

  close(): void {
    this.open = false;
    for (const listener of this.closeListeners?.splice(0) ?? []) listener();
  }

  /** Calls `listener` when the region closes, or at once if it has. */
  whenClosed(listener: () => void): void {
    if (this.open) (this.closeListeners ??= []).push(listener);
    else listener();
  }
}

/**
 * The library's only AsyncLocalStorage: each further one would be copied at every promise of the process. `enterWith`
 * is never used, because it leaks to whoever awaits the function that calls it.
 */
const regions = new AsyncLocalStorage<OwnerContext | undefined>();

/** The innermost region that is still open around the running code. */
export const currentRegion = (): OwnerContext | undefined => OwnerContext.innermostOpen(regions.getStore());

/** Aborts when the caller has gone for whom the running code works; absent where nobody could tell. */
export const currentCallerGone = (): AbortSignal | undefined => {
  for (const { callerGone } of currentRegion()?.outwards() ?? []) if (callerGone) return callerGone;
  return undefined;
};

/** Runs `fn` inside `region`. */
export const runInRegion = <T>(region: OwnerContext, fn: () => T): T => regions.run(region, fn);

/**
 * Runs `fn` as nobody. Whatever outlives a call – sockets, subscriptions, timers – starts here: born inside an owner's
 * region it would carry that owner for ever, and every later message would impersonate it.
 */
export const runOutsideRegions = <T>(fn: () => T): T => regions.run(undefined, fn);
