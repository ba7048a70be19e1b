import assert from 'node:assert/strict';
import {
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpStatus,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestMiddleware,
  type NestModule,
  Param,
  type PipeTransform,
  type Scope,
  type Type,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import { concatMap, last, Observable } from 'rxjs';
import { type Cell, type Cells, type ScopeName, SCOPES } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { Room, UNLUCKY } from '../../room.js';
import { withServed } from '../../served.js';

/** What the requests of both adapters have, and those that middleware gets. */
interface Addressed {
  readonly originalUrl: string;
}

const idIn = ({ originalUrl }: Addressed): number => Number(decodeURIComponent(originalUrl.split('/').at(-1) ?? ''));
const idOf = (context: ExecutionContext): number => idIn(context.switchToHttp().getRequest());

const nameIn = (request: Addressed): string => `order:${idIn(request)}`;
const nameOf = (context: ExecutionContext): string => `order:${idOf(context)}`;

/** A controller whose handler comes after the method under test, which Nest calls for it. */
type Around = (scope: Scope) => Type;

const ordersAfter = (decorate: MethodDecorator, pipes: readonly Type<PipeTransform>[] = []): Type => {
  @Controller('orders')
  class OrderController {
    constructor(@Inject(Room) private readonly room: Room) {}

    @Get(':id')
    @decorate
    show(@Param('id', ...pipes) _id: unknown): string {
      this.room.note('handler');
      return 'shown';
    }
  }
  return OrderController;
};

const guard: Around = (scope) => {
  @Injectable({ scope })
  class PaidGuard implements CanActivate {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked(nameOf)
    async canActivate(context: ExecutionContext): Promise<boolean> {
      return (await this.room.visit(idOf(context))) !== '';
    }
  }
  return moduleOf(ordersAfter(UseGuards(PaidGuard)));
};

const interceptor: Around = (scope) => {
  @Injectable({ scope })
  class PayingInterceptor implements NestInterceptor {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked(nameOf)
    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return this.room.watch(idOf(context)).pipe(
        last(),
        concatMap(() => next.handle()),
      );
    }
  }
  return moduleOf(ordersAfter(UseInterceptors(PayingInterceptor)));
};

const pipe: Around = (scope) => {
  @Injectable({ scope })
  class PaidPipe implements PipeTransform<string> {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked((id: string) => `order:${Number(id)}`)
    async transform(id: string): Promise<string> {
      return this.room.visit(Number(id));
    }
  }
  return moduleOf(ordersAfter(() => {}, [PaidPipe]));
};

const middleware: Around = (scope) => {
  @Injectable({ scope })
  class PayingMiddleware implements NestMiddleware {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked(nameIn)
    async use(request: Addressed, _response: unknown, next: () => void): Promise<void> {
      await this.room.visit(idIn(request));
      next();
    }
  }
  return moduleOf(
    ordersAfter(() => {}),
    [PayingMiddleware],
  );
};

const moduleOf = (controller: Type, middlewares: readonly Type<NestMiddleware>[] = []): Type => {
  @Module({ controllers: [controller] })
  class OrderModule implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      if (middlewares.length > 0) consumer.apply(...middlewares).forRoutes(controller);
    }
  }
  return OrderModule;
};

const cellOf = (kind: string, adapter: () => AbstractHttpAdapter, around: Around, scope: ScopeName): Cell => ({
  kind,
  scope,
  position: 'alone',
  check: () => {
    const imports = [around(SCOPES[scope])];
    return withServed(adapter(), { imports }, async ({ room, locks, url }) => {
      const ask = (id: number): Promise<Response> => fetch(`${url}/orders/${encodeURIComponent(rawId(id))}`);
      await checkExclusion({ room, locks }, { call: ask, scope });

      room.clear();
      assert.equal(await (await ask(5)).text(), 'shown');
      assert.deepEqual(room.journal, ['method: order:5', 'handler']);

      room.clear();
      assert.equal((await ask(UNLUCKY)).status, HttpStatus.INTERNAL_SERVER_ERROR);
      assert.deepEqual(room.journal, [`method: order:${UNLUCKY}`]);
      await checkFree(locks, UNLUCKY);
    });
  },
});

const METHODS = {
  'middleware, use': middleware,
  'guard, canActivate': guard,
  'interceptor, intercept': interceptor,
  'pipe, transform': pipe,
};

/** Classes that Nest makes and calls around a handler, with `@Locked` on what it calls. */
export const aroundCells = (name: string, adapter: () => AbstractHttpAdapter): Cells =>
  Object.entries(METHODS).flatMap(([method, around]) =>
    (['singleton', 'request', 'transient'] as const).map((scope) =>
      cellOf(`${method}, ${name}`, adapter, around, scope),
    ),
  );
