import assert from 'node:assert/strict';
import { Inject, Injectable, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import { firstValueFrom, last, Observable } from 'rxjs';
import { type Cell, type Cells, type ScopeName, SCOPES } from '../cell.js';
import { checkExclusion, checkFree } from '../exclusion.js';
import { ConcurrencyProbe, SoldOut, FAILING } from '../concurrency-probe.js';
import { type ApplicationUnderTest, withContext } from '../application.js';

interface Orders {
  pay(id: number): Promise<string>;
  follow(id: number): Observable<string>;
  list(id: number): AsyncGenerator<string>;
}

const ordersOf = (scope: ScopeName): Type<Orders> => {
  @Injectable({ scope: SCOPES[scope] })
  class OrderService implements Orders {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    async pay(id: number): Promise<string> {
      return this.probe.work(id);
    }

    @Locked('order:<0>')
    follow(id: number): Observable<string> {
      return this.probe.observe(id);
    }

    @Locked('order:<0>')
    async *list(id: number): AsyncGenerator<string> {
      yield* this.probe.iterate(id);
    }
  }
  return OrderService;
};

/** Gets the instance of a singleton, or a new one for this request or consumer. */
const instanceFor = async ({ app }: ApplicationUnderTest, scope: ScopeName, orders: Type<Orders>): Promise<Orders> => {
  if (scope === 'singleton') return app.get(orders);
  return app.get(ModuleRef).resolve(orders, ContextIdFactory.create(), { strict: false });
};

const drain = async (items: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const checkProvider =
  (scope: ScopeName, call: (orders: Orders, id: number) => Promise<unknown>) => async (): Promise<void> => {
    const orders = ordersOf(scope);
    await withContext({ providers: [orders] }, async (tested) => {
      const one = async (id: number): Promise<unknown> => call(await instanceFor(tested, scope, orders), id);
      await checkExclusion(tested, { call: one, scope });
      if (scope === 'transient') assert.ok(tested.probe.instances >= 4, 'each consumer has an instance of its own');
    });
  };

const checkFailure = async (tested: ApplicationUnderTest, orders: Orders): Promise<void> => {
  await assert.rejects(orders.pay(FAILING), SoldOut);
  await checkFree(tested.locks, FAILING);
};

const checkPromise = (scope: ScopeName) => async (): Promise<void> => {
  await checkProvider(scope, (orders, id) => orders.pay(id))();
  const orders = ordersOf(scope);
  await withContext({ providers: [orders] }, async (tested) =>
    checkFailure(tested, await instanceFor(tested, scope, orders)),
  );
};

const cellsOf = (scope: ScopeName): Cell[] => {
  const place = { scope, position: 'alone' } as const;
  return [
    { kind: 'provider, promise', ...place, check: checkPromise(scope) },
    {
      kind: 'provider, Observable',
      ...place,
      check: checkProvider(scope, (orders, id) => firstValueFrom(orders.follow(id).pipe(last()))),
    },
    {
      kind: 'provider, async generator',
      ...place,
      check: checkProvider(scope, async (orders, id) =>
        assert.deepEqual(await drain(orders.list(id)), [`order:${id}`, `order:${id}`]),
      ),
    },
  ];
};

export const cells: Cells = (['singleton', 'request', 'transient'] as const).flatMap(cellsOf);
