import { Controller, Get, Inject, Param, Res, Scope, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { NumberPipe } from '../../beside.js';
import type { ScopeName } from '../../cell.js';
import { Room } from '../../room.js';

/** What the responses of both adapters have. */
interface RawResponse {
  send(body: string): unknown;
}

/** Handlers that answer by hand. */
export const rawController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class RawOrderController {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    async above(@Param('id', NumberPipe) id: number, @Res() response: RawResponse): Promise<void> {
      response.send(await this.room.visit(id));
    }

    @Get(':id/below')
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number, @Res() response: RawResponse): Promise<void> {
      response.send(await this.room.visit(id));
    }
  }
  return RawOrderController;
};
