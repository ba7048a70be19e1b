import { setMaxListeners } from 'node:events';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { fromEvent, type MonoTypeOperatorFunction, takeUntil } from 'rxjs';

/** Tells what goes on by itself that the process closes: first of all, before anything is waited for. */
@Injectable()
export class Closing implements OnModuleDestroy {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;

  constructor() {
    setMaxListeners(0, this.signal); // one for every buyer of a sale
  }

  /** Ends a stream then. */
  untilThen<T>(): MonoTypeOperatorFunction<T> {
    return takeUntil(fromEvent(this.signal, 'abort'));
  }

  onModuleDestroy(): void {
    this.controller.abort();
  }
}
