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
import { ConcurrencyProbe, FAILING } from '../../concurrency-probe.js';
import { withHttpApplication } from '../../http-application.js';

/** The part that requests of both adapters and of middleware have in common. */
interface Addressed {
  readonly originalUrl: string;
}

const idIn = ({ originalUrl }: Addressed): number => Number(decodeURIComponent(originalUrl.split('/').at(-1) ?? ''));
const idOf = (context: ExecutionContext): number => idIn(context.switchToHttp().getRequest());

const nameIn = (request: Addressed): string => `order:${idIn(request)}`;
const nameOf = (context: ExecutionContext): string => `order:${idOf(context)}`;

/** Creates a module with a handler, and with the method under test, which Nest calls before the handler. */
type Around = (scope: Scope) => Type;

const ordersAfter = (decorate: MethodDecorator, pipes: readonly Type<PipeTransform>[] = []): Type => {
  @Controller('orders')
  class OrderController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {}

    @Get(':id')
    @decorate
    show(@Param('id', ...pipes) _id: unknown): string {
      this.probe.record('handler');
      return 'shown';
    }
  }
  return OrderController;
};

const guard: Around = (scope) => {
  @Injectable({ scope })
  class PaidGuard implements CanActivate {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked(nameOf)
    async canActivate(context: ExecutionContext): Promise<boolean> {
      return (await this.probe.work(idOf(context))) !== '';
    }
  }
  return moduleOf(ordersAfter(UseGuards(PaidGuard)));
};

const interceptor: Around = (scope) => {
  @Injectable({ scope })
  class PayingInterceptor implements NestInterceptor {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked(nameOf)
    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return this.probe.observe(idOf(context)).pipe(
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
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked((id: string) => `order:${Number(id)}`)
    async transform(id: string): Promise<string> {
      return this.probe.work(Number(id));
    }
  }
  return moduleOf(ordersAfter(() => {}, [PaidPipe]));
};

const middleware: Around = (scope) => {
  @Injectable({ scope })
  class PayingMiddleware implements NestMiddleware {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked(nameIn)
    async use(request: Addressed, _response: unknown, next: () => void): Promise<void> {
      await this.probe.work(idIn(request));
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
    return withHttpApplication(adapter(), { imports }, async ({ probe, locks, url }) => {
      const ask = (id: number): Promise<Response> => fetch(`${url}/orders/${encodeURIComponent(rawId(id))}`);
      await checkExclusion({ probe, locks }, { call: ask, scope });

      probe.clear();
      assert.equal(await (await ask(5)).text(), 'shown');
      assert.deepEqual(probe.journal, ['method: order:5', 'handler']);

      probe.clear();
      assert.equal((await ask(FAILING)).status, HttpStatus.INTERNAL_SERVER_ERROR);
      assert.deepEqual(probe.journal, [`method: order:${FAILING}`]);
      await checkFree(locks, FAILING);
    });
  },
});

const METHODS = {
  'middleware, use': middleware,
  'guard, canActivate': guard,
  'interceptor, intercept': interceptor,
  'pipe, transform': pipe,
};

/** Cells of enhancers and middleware, with `@Locked` on the method that Nest calls. */
export const aroundCells = (name: string, adapter: () => AbstractHttpAdapter): Cells =>
  Object.entries(METHODS).flatMap(([method, around]) =>
    (['singleton', 'request', 'transient'] as const).map((scope) =>
      cellOf(`${method}, ${name}`, adapter, around, scope),
    ),
  );
