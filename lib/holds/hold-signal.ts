import { runOutsideRegions } from '../context/owner-context.js';

/** Tells a holder to stop, once. Makes the `AbortSignal` only when somebody asks for it. */
export class LazyAbortController {
  private controller: AbortController | undefined;
  /** Why to stop, once there is a reason. */
  reason: Error | undefined;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason && !this.controller.signal.aborted) this.abort(this.reason);
    return this.controller.signal;
  }

  /** Only the first reason counts. Listeners run as nobody: who aborts may well be inside somebody's region. */
  abort(reason: Error): void {
    this.reason ??= reason;
    runOutsideRegions(() => this.controller?.abort(this.reason));
  }
}
