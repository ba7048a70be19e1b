import { setMaxListeners } from 'node:events';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type MonoTypeOperatorFunction, ReplaySubject, takeUntil } from 'rxjs';

/** Aborts when the process begins to shut down, so that background work can end first. */
@Injectable()
export class ShutdownSignal implements OnModuleDestroy {
  private readonly controller = new AbortController();
  /** Also tells those who subscribe later: a request may come while the shop closes. */
  private readonly shutdown = new ReplaySubject<void>(1);
  readonly signal = this.controller.signal;

  constructor() {
    setMaxListeners(0, this.signal); // one for every buyer of a sale
  }

  /** Completes a stream at shutdown, and at once afterwards. */
  untilShutdown<T>(): MonoTypeOperatorFunction<T> {
    return takeUntil(this.shutdown);
  }

  onModuleDestroy(): void {
    this.controller.abort();
    this.shutdown.next();
  }
}
