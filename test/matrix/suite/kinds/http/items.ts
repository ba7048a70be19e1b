import { Controller, Get, Inject, Param, Scope, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { NumberPipe } from '../../beside.js';
import type { ScopeName } from '../../cell.js';
import { Room } from '../../room.js';

/** Handlers that are async generators, which Nest 12 sends piece by piece. */
export const itemsController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderItemsController {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    async *above(@Param('id', NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.room.walk(id);
    }

    @Get(':id/below')
    @Locked('order:<0>')
    async *below(@Param('id', NumberPipe) id: number): AsyncGenerator<string> {
      yield* this.room.walk(id);
    }
  }
  return OrderItemsController;
};
