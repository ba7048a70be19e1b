import { runOutsideContexts } from '../context/owner-context.js';

/** Signals a holder to stop, once. Creates the `AbortSignal` only when it is read. */
export class LazyAbortController {
  private controller: AbortController | undefined;
  /** The reason of the abort, once there is one. */
  reason: Error | undefined;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason && !this.controller.signal.aborted) this.abort(this.reason);
    return this.controller.signal;
  }

  /** Only the first reason counts. Listeners run outside any context, as the caller may be inside one. */
  abort(reason: Error): void {
    this.reason ??= reason;
    runOutsideContexts(() => this.controller?.abort(this.reason));
  }
}
