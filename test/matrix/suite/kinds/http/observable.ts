import { Controller, Get, Inject, Param, Scope, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { Observable } from 'rxjs';
import { NumberPipe } from '../../beside.js';
import type { ScopeName } from '../../cell.js';
import { Room } from '../../room.js';

/** Handlers that return an Observable: seen from the declared type, and found out when it comes out of a promise. */
export const observableController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class WatchedOrderController {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    above(@Param('id', NumberPipe) id: number): Observable<string> {
      return this.room.watch(id);
    }

    @Get(':id/below')
    @Locked('order:<0>')
    below(@Param('id', NumberPipe) id: number): Observable<string> {
      return this.room.watch(id);
    }
  }
  return WatchedOrderController;
};

export const promisedObservableController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class PromisedOrderController {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    async above(@Param('id', NumberPipe) id: number): Promise<Observable<string>> {
      return this.room.watch(id);
    }

    @Get(':id/below')
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number): Promise<Observable<string>> {
      return this.room.watch(id);
    }
  }
  return PromisedOrderController;
};
