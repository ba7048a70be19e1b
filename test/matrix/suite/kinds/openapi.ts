import assert from 'node:assert/strict';
import { Body, Controller, Get, Inject, Param, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Locked } from 'nest-redis-lock';
import { blank, type Cells, inBothPositions, type POSITIONS } from '../cell.js';
import { ConcurrencyProbe } from '../concurrency-probe.js';
import { quiet, rootOf } from '../application.js';

class OrderBody {
  @ApiProperty({ description: 'Of the order' })
  id: number = 0;
}

type Locking = (typeof POSITIONS)[number] | 'none';

/** The same controller, with `@Locked` in one place or in none. */
const controllerOf = (locking: Locking): Type => {
  const at = (position: Locking): MethodDecorator =>
    position === locking ? (Locked((id: unknown) => `order:${String(id)}`) as MethodDecorator) : () => {};

  @ApiTags('orders')
  @Controller('orders')
  class OrderController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {}

    @at('above')
    @Get(':id')
    @ApiOperation({ summary: 'One order' })
    @ApiOkResponse({ type: OrderBody })
    @at('below')
    async show(@Param('id') id: number): Promise<OrderBody> {
      return { id: (await this.probe.work(id)).length };
    }

    @at('above')
    @Post()
    @ApiOkResponse({ type: [OrderBody] })
    @at('below')
    async pay(@Body() body: OrderBody): Promise<OrderBody[]> {
      return [body];
    }
  }
  return OrderController;
};

const documentOf = async (locking: Locking): Promise<object> => {
  const root = rootOf({ controllers: [controllerOf(locking)] });
  const app = await NestFactory.create(root, new ExpressAdapter(), quiet);
  try {
    await app.init();
    return SwaggerModule.createDocument(app, new DocumentBuilder().build());
  } finally {
    await app.close();
  }
};

const KIND = 'OpenAPI document';
const SAME = 'The document is made of the class, and does not depend on the scope of its instances.';

export const cells: Cells = [
  ...inBothPositions(KIND, 'singleton', async (position) => {
    const [locked, plain] = [await documentOf(position), await documentOf('none')];
    assert.match(JSON.stringify(plain), /OrderController_show.*One order.*OrderBody/s);
    assert.deepEqual(locked, plain);
  }),
  blank(KIND, 'request', SAME),
  blank(KIND, 'transient', SAME),
];
