import { Controller, Get, Inject, Param, Res, Scope, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';

/** The part that responses of both adapters have in common. */
interface RawResponse {
  send(body: string): unknown;
}

/** Creates a controller whose handlers send the response themselves. */
export const rawController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class RawOrderController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    async above(@Param('id', NumberPipe) id: number, @Res() response: RawResponse): Promise<void> {
      response.send(await this.probe.work(id));
    }

    @Get(':id/below')
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number, @Res() response: RawResponse): Promise<void> {
      response.send(await this.probe.work(id));
    }
  }
  return RawOrderController;
};
