import { Controller, Get, Inject, Param, Scope, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { Observable } from 'rxjs';
import { NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';

/** Creates a controller whose handlers return an Observable. `@Locked` recognizes it by the declared type. */
export const observableController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class WatchedOrderController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    above(@Param('id', NumberPipe) id: number): Observable<string> {
      return this.probe.observe(id);
    }

    @Get(':id/below')
    @Locked('order:<0>')
    below(@Param('id', NumberPipe) id: number): Observable<string> {
      return this.probe.observe(id);
    }
  }
  return WatchedOrderController;
};

/** Creates a controller whose handlers resolve with an Observable, which `@Locked` recognizes when they resolve. */
export const promisedObservableController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class PromisedOrderController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    async above(@Param('id', NumberPipe) id: number): Promise<Observable<string>> {
      return this.probe.observe(id);
    }

    @Get(':id/below')
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number): Promise<Observable<string>> {
      return this.probe.observe(id);
    }
  }
  return PromisedOrderController;
};
