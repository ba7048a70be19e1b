import { setMaxListeners } from 'node:events';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { fromEvent, type MonoTypeOperatorFunction, takeUntil } from 'rxjs';

/** Aborts when the process begins to shut down, so that background work can end first. */
@Injectable()
export class ShutdownSignal implements OnModuleDestroy {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  constructor() {
    setMaxListeners(0, this.signal); // one for every buyer of a sale
  }

  /** Completes a stream at shutdown. */
  untilShutdown<T>(): MonoTypeOperatorFunction<T> {
    return takeUntil(fromEvent(this.signal, 'abort'));
  }

  onModuleDestroy(): void {
    this.controller.abort();
  }
}
