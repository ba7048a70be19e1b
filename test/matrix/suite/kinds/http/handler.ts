import assert from 'node:assert/strict';
import { Controller, Get, HttpStatus, Inject, Param, Scope, type Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import { journalOfFailure, WithEnhancers, journalOfSuccess, NumberPipe } from '../../enhancers.js';
import { type Cells, inBothPositions, noTransient, type ScopeName } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { ConcurrencyProbe, FAILING } from '../../concurrency-probe.js';
import { withHttpApplication } from '../../http-application.js';
import { SoldOutFilter } from './filter.js';

const controllerOf = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    @WithEnhancers(SoldOutFilter)
    async above(@Param('id', NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }

    @Get(':id/below')
    @WithEnhancers(SoldOutFilter)
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }
  }
  return OrderController;
};

export const handlerCells = (kind: string, adapter: () => AbstractHttpAdapter): Cells => [
  ...(['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withHttpApplication(adapter(), { controllers: [controllerOf(scope)] }, async ({ probe, locks, url }) => {
        const ask = (id: number): Promise<Response> =>
          fetch(`${url}/orders/${encodeURIComponent(rawId(id))}/${position}`);
        await checkExclusion({ probe, locks }, { call: ask, scope });

        probe.clear();
        const good = await ask(5);
        assert.deepEqual([good.status, await good.text()], [HttpStatus.OK, 'order:5']);
        assert.deepEqual(probe.journal, journalOfSuccess(5));

        probe.clear();
        const bad = await ask(FAILING);
        assert.deepEqual([bad.status, await bad.text()], [HttpStatus.I_AM_A_TEAPOT, 'SoldOut']);
        assert.deepEqual(probe.journal, journalOfFailure(FAILING));
        await checkFree(locks, FAILING);
      }),
    ),
  ),
  noTransient(kind),
];
