import { Controller, Get, Inject, Param, Scope, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';

/** Creates a controller whose handlers are async generators, which Nest 12 sends piece by piece. */
export const itemsController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderItemsController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    async *above(@Param('id', NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.probe.iterate(id);
    }

    @Get(':id/below')
    @Locked('order:<0>')
    async *below(@Param('id', NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.probe.iterate(id);
    }
  }
  return OrderItemsController;
};
