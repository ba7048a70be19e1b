import { Controller, Inject, type MessageEvent, Param, Scope, Sse, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { map, Observable } from 'rxjs';
import { NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';

/** Creates a controller of server-sent events. */
export const eventsController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderEventsController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Sse(':id/above')
    above(@Param('id', NumberPipe) id: number): Observable<MessageEvent> {
      return this.probe.observe(id).pipe(map((data) => ({ data })));
    }

    @Sse(':id/below')
    @Locked('order:<0>')
    below(@Param('id', NumberPipe) id: number): Observable<MessageEvent> {
      return this.probe.observe(id).pipe(map((data) => ({ data })));
    }
  }
  return OrderEventsController;
};

export const promisedEventsController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class PromisedEventsController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Sse(':id/above')
    async above(@Param('id', NumberPipe) id: number): Promise<Observable<MessageEvent>> {
      return this.probe.observe(id).pipe(map((data) => ({ data })));
    }

    @Sse(':id/below')
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number): Promise<Observable<MessageEvent>> {
      return this.probe.observe(id).pipe(map((data) => ({ data })));
    }
  }
  return PromisedEventsController;
};
