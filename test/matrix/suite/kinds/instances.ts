import { Inject, Injectable, mixin, Module, type Provider, type Type } from '@nestjs/common';
import { LazyModuleLoader, ModuleRef } from '@nestjs/core';
import { Locked } from 'nest-redis-lock';
import type { Cell, Cells } from '../cell.js';
import { checkExclusion } from '../exclusion.js';
import { Room } from '../room.js';
import { type Stage, withContext } from '../stage.js';

const PAY = Symbol('pay');

@Injectable()
class Orders {
  constructor(@Inject(Room) protected readonly room: Room) {
    room.meet(this);
  }

  @Locked('order:<0>')
  async pay(id: number): Promise<string> {
    return this.room.visit(id);
  }

  @Locked('order:<0>')
  async [PAY](id: number): Promise<string> {
    return this.room.visit(id);
  }
}

@Module({ providers: [Orders] })
class OrdersModule {}

/** A class that is made by a function, with what it was called with in it. */
const ordersAs = (lock: 'order'): Type<Pick<Orders, 'pay'>> => {
  @Injectable()
  class MixedOrders {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked(`${lock}:<0>`)
    async pay(id: number): Promise<string> {
      return this.room.visit(id);
    }
  }
  return mixin(MixedOrders);
};

type Call = (id: number) => Promise<string>;

/** @param find Gets hold of the instance, and says how its method is called. */
const cell = (
  kind: string,
  find: (app: Stage['app']) => Call | Promise<Call>,
  providers: readonly Provider[] = [],
): Cell => ({
  kind,
  scope: 'singleton',
  position: 'alone',
  check: () =>
    withContext({ providers: [...providers] }, async (stage) => {
      const call = await find(stage.app);
      await checkExclusion(stage, { call });
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
