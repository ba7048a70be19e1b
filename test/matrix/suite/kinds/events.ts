import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { Locked } from 'nest-redis-lock';
import { type Cells, inBothPositions, noTransient, type ScopeName } from '../cell.js';
import { checkExclusion } from '../exclusion.js';
import { ConcurrencyProbe } from '../concurrency-probe.js';
import { withContext } from '../application.js';

const listenerOf = (scope: ScopeName): Type => {
  @Injectable({ scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderListener {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @OnEvent('paid above')
    async above(id: number): Promise<void> {
      await this.probe.work(id);
    }

    @OnEvent('paid below')
    @Locked('order:<0>')
    async below(id: number): Promise<void> {
      await this.probe.work(id);
    }
  }
  return OrderListener;
};

const kind = '@OnEvent';

export const cells: Cells = [
  ...(['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withContext({ imports: [EventEmitterModule.forRoot()], providers: [listenerOf(scope)] }, async (tested) => {
        const emitter = tested.app.get(EventEmitter2);
        await checkExclusion(tested, { call: (id) => emitter.emitAsync(`paid ${position}`, id), scope });
      }),
    ),
  ),
  noTransient(kind),
];
