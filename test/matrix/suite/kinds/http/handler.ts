import assert from 'node:assert/strict';
import { Controller, Get, HttpStatus, Inject, Param, Scope, type Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import { badCall, Beside, goodCall, NumberPipe } from '../../beside.js';
import { type Cells, inBothPositions, noTransient, type ScopeName } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { Room, UNLUCKY } from '../../room.js';
import { withServed } from '../../served.js';
import { SoldOutFilter } from './filter.js';

const controllerOf = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderController {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    @Beside(SoldOutFilter)
    async above(@Param('id', NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }

    @Get(':id/below')
    @Beside(SoldOutFilter)
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }
  }
  return OrderController;
};

export const handlerCells = (kind: string, adapter: () => AbstractHttpAdapter): Cells => [
  ...(['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withServed(adapter(), { controllers: [controllerOf(scope)] }, async ({ room, locks, url }) => {
        const ask = (id: number): Promise<Response> =>
          fetch(`${url}/orders/${encodeURIComponent(rawId(id))}/${position}`);
        await checkExclusion({ room, locks }, { call: ask, scope });

        room.clear();
        const good = await ask(5);
        assert.deepEqual([good.status, await good.text()], [HttpStatus.OK, 'order:5']);
        assert.deepEqual(room.journal, goodCall(5));

        room.clear();
        const bad = await ask(UNLUCKY);
        assert.deepEqual([bad.status, await bad.text()], [HttpStatus.I_AM_A_TEAPOT, 'SoldOut']);
        assert.deepEqual(room.journal, badCall(UNLUCKY));
        await checkFree(locks, UNLUCKY);
      }),
    ),
  ),
  noTransient(kind),
];
