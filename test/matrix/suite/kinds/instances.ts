import { Inject, Injectable, mixin, Module, type Provider, type Type } from '@nestjs/common';
import { LazyModuleLoader, ModuleRef } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import type { Cell, Cells } from '../cell.js';
import { checkExclusion } from '../exclusion.js';
import { ConcurrencyProbe } from '../concurrency-probe.js';
import { type ApplicationUnderTest, withContext } from '../application.js';

const PAY = Symbol('pay');

@Injectable()
class Orders {
  constructor(@Inject(ConcurrencyProbe) protected readonly probe: ConcurrencyProbe) {
    probe.register(this);
  }

  @Locked('order:<0>')
  async pay(id: number): Promise<string> {
    return this.probe.work(id);
  }

  @Locked('order:<0>')
  async [PAY](id: number): Promise<string> {
    return this.probe.work(id);
  }
}

@Module({ providers: [Orders] })
class OrdersModule {}

/** Creates a class by a function whose argument its method uses. */
const ordersAs = (lock: 'order'): Type<Pick<Orders, 'pay'>> => {
  @Injectable()
  class MixedOrders {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked(`${lock}:<0>`)
    async pay(id: number): Promise<string> {
      return this.probe.work(id);
    }
  }
  return mixin(MixedOrders);
};

type Call = (id: number) => Promise<string>;

/** @param find Finds the instance, and returns a function that calls its method. */
const cell = (
  kind: string,
  find: (app: ApplicationUnderTest['app']) => Call | Promise<Call>,
  providers: readonly Provider[] = [],
): Cell => ({
  kind,
  scope: 'singleton',
  position: 'alone',
  check: () =>
    withContext({ providers: [...providers] }, async (tested) => {
      const call = await find(tested.app);
      await checkExclusion(tested, { call });
    }),
});

const paidBy =
  (orders: Pick<Orders, 'pay'>): Call =>
  (id) =>
    orders.pay(id);

const Mixed = ordersAs('order');

export const cells: Cells = [
  cell('provider, method named by a symbol', (app) => (id) => app.get(Orders)[PAY](id), [Orders]),
  cell('provider, mixin', (app) => paidBy(app.get(Mixed)), [Mixed]),
  cell('provider by ModuleRef.create()', async (app) => paidBy(await app.get(ModuleRef).create(Orders))),
  cell('provider of a module that is loaded lazily', async (app) => {
    const lazy = await app.get(LazyModuleLoader).load(() => OrdersModule);
    return paidBy(lazy.get(Orders));
  }),
];
