import assert from 'node:assert/strict';
import {
  Body,
  Controller,
  HttpStatus,
  Inject,
  Post,
  Scope,
  type Type as ClassType,
  ValidationPipe,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Type } from 'class-transformer';
import { IsInt } from 'class-validator';
import { Locked } from 'nest-redis-lock';
import { type Cells, inBothPositions, noTransient, type ScopeName } from '../../cell.js';
import { checkExclusion, rawId } from '../../exclusion.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';
import { withHttpApplication } from '../../http-application.js';

class OrderBody {
  @Type(() => Number)
  @IsInt()
  id: number = 0;
}

const VALIDATED = new ValidationPipe({ transform: true });

/** Handlers whose key is made of a validated and transformed body. */
const controllerOf = (scope: ScopeName): ClassType => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderBodyController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0.id>')
    @Post('above')
    async above(@Body(VALIDATED) body: OrderBody): Promise<string> {
      return this.probe.work(body.id);
    }

    @Post('below')
    @Locked('order:<0.id>')
    async below(@Body(VALIDATED) body: OrderBody): Promise<string> {
      return this.probe.work(body.id);
    }
  }
  return OrderBodyController;
};

export const bodyCells = (kind: string, adapter: () => AbstractHttpAdapter): Cells => [
  ...(['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withHttpApplication(adapter(), { controllers: [controllerOf(scope)] }, async ({ probe, locks, url }) => {
        const post = (body: object): Promise<Response> =>
          fetch(`${url}/orders/${position}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
        await checkExclusion({ probe, locks }, { call: (id) => post({ id: rawId(id) }), scope });

        probe.clear();
        const refused = await post({ id: 'seven' });
        assert.equal(refused.status, HttpStatus.BAD_REQUEST);
        assert.deepEqual(probe.calls, []);
      }),
    ),
  ),
  noTransient(kind),
];
