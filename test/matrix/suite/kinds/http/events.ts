import { Controller, Inject, type MessageEvent, Param, Scope, Sse, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { map, Observable } from 'rxjs';
import { NumberPipe } from '../../beside.js';
import type { ScopeName } from '../../cell.js';
import { Room } from '../../room.js';

/** Server-sent events. */
export const eventsController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderEventsController {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Sse(':id/above')
    above(@Param('id', NumberPipe) id: number): Observable<MessageEvent> {
      return this.room.watch(id).pipe(map((data) => ({ data })));
    }

    @Sse(':id/below')
    @Locked('order:<0>')
    below(@Param('id', NumberPipe) id: number): Observable<MessageEvent> {
      return this.room.watch(id).pipe(map((data) => ({ data })));
    }
  }
  return OrderEventsController;
};

export const promisedEventsController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class PromisedEventsController {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Sse(':id/above')
    async above(@Param('id', NumberPipe) id: number): Promise<Observable<MessageEvent>> {
      return this.room.watch(id).pipe(map((data) => ({ data })));
    }

    @Sse(':id/below')
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number): Promise<Observable<MessageEvent>> {
      return this.room.watch(id).pipe(map((data) => ({ data })));
    }
  }
  return PromisedEventsController;
};
