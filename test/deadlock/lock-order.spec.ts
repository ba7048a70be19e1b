import { Injectable } from '@nestjs/common';
import { LockOrder, type OnInversion, type OrderedLock } from '../../lib/deadlock/lock-order.js';
import { LockOrderError } from '../../lib/errors.js';
import { type LockEvent, LockEvents } from '../../lib/events/lock-events.js';
import { Locked, LockService, RedisLockModule } from '../../lib/index.js';
import { Test } from '@nestjs/testing';

const lock = (name: string, template?: string, family: OrderedLock['family'] = 'exclusive'): OrderedLock => ({
  family,
  name,
  template,
});

const orderWith = (onInversion: OnInversion = 'warn'): { readonly order: LockOrder; readonly told: LockEvent[] } => {
  const events = new LockEvents();
  const told: LockEvent[] = [];
  events.on((event) => told.push(event));
  return { order: new LockOrder(events, 'default', onInversion), told };
};

describe('The order of locks', () => {
  it('is told to be inverted once for each pair, by template', () => {
    const { order, told } = orderWith();
    order.check([lock('a:1', 'a:<0>')], lock('b:1', 'b:<0>'), 'A.x');
    expect(told).toEqual([]);
    for (const id of [2, 3]) order.check([lock(`b:${id}`, 'b:<0>')], lock(`a:${id}`, 'a:<0>'), 'B.y');
    order.check([lock('a:9', 'a:<0>')], lock('b:9', 'b:<0>'), 'A.x');
    expect(told).toEqual([
      {
        type: 'lock-order-inverted',
        connection: 'default',
        first: 'b:<0>',
        second: 'a:<0>',
        method: 'B.y',
        otherMethod: 'A.x',
      },
    ]);
  });

  it('counts every lock that is held', () => {
    const { order, told } = orderWith();
    order.check([lock('b'), lock('a')], lock('c'), undefined);
    order.check([lock('c')], lock('a'), undefined);
    expect(told).toMatchObject([{ first: 'c', second: 'a' }]);
  });

  it('has names of one template in an order of their own', () => {
    const { order, told } = orderWith();
    order.check([lock('a:1', 'a:<0>')], lock('a:2', 'a:<0>'), undefined);
    order.check([lock('a:2', 'a:<0>')], lock('a:3', 'a:<0>'), undefined);
    expect(told).toEqual([]);
    order.check([lock('a:2', 'a:<0>')], lock('a:1', 'a:<0>'), undefined);
    expect(told).toMatchObject([{ first: 'a:2', second: 'a:1' }]);
  });

  it('does not matter between readers', () => {
    const { order, told } = orderWith();
    order.check([lock('a', undefined, 'read')], lock('b', undefined, 'read'), undefined);
    order.check([lock('b', undefined, 'read')], lock('a', undefined, 'read'), undefined);
    expect(told).toEqual([]);
    order.check([lock('a', undefined, 'read')], lock('b', undefined, 'write'), undefined);
    order.check([lock('b', undefined, 'write')], lock('a', undefined, 'read'), undefined);
    expect(told).toHaveLength(1);
  });

  it('gives an error for each inversion with throw', () => {
    const { order, told } = orderWith('throw');
    order.check([lock('a')], lock('b'), 'A.x');
    for (let time = 0; time < 2; time += 1) {
      expect(order.check([lock('b')], lock('a'), 'B.y')).toMatchObject({
        code: 'LOCK_ORDER',
        lockName: 'a',
        details: { first: 'b', second: 'a', method: 'B.y', otherMethod: 'A.x' },
      });
    }
    expect(told).toHaveLength(1);
  });

  it('remembers a limited number of names, and all templates', () => {
    const { order, told } = orderWith();
    for (let id = 0; id < 100_000; id += 1) order.check([lock(`a:${id}`)], lock(`b:${id}`), undefined);
    order.check([lock('x:1', 'x:<0>')], lock('y:1', 'y:<0>'), undefined);
    order.check([lock('y:1', 'y:<0>')], lock('x:1', 'x:<0>'), undefined);
    order.check([lock('b:0')], lock('a:0'), undefined);
    order.check([lock('b:99999')], lock('a:99999'), undefined);
    expect(told.map((event) => 'first' in event && event.first)).toEqual(['y:<0>', 'b:0']);
  });
});

@Injectable()
class Orders {
  constructor(private readonly locks: LockService) {}

  @Locked('order:<0>')
  async pay(_id: string, next: () => Promise<void> = async () => {}): Promise<void> {
    await next();
  }

  @Locked('stock:<0>')
  async take(_id: string, next: () => Promise<void> = async () => {}): Promise<void> {
    await next();
  }

  attempt(id: string): Promise<unknown> {
    return this.locks.tryAcquire(`order:${id}`);
  }
}

describe('The option lockOrder', () => {
  const open = async (
    lockOrder?: 'off' | 'warn' | 'throw',
  ): Promise<{ orders: Orders; told: LockEvent[]; close: () => Promise<void> }> => {
    const app = await Test.createTestingModule({
      imports: [RedisLockModule.forRoot({ connection: 'memory', ...(lockOrder && { lockOrder }) })],
      providers: [Orders],
    }).compile();
    app.useLogger(false);
    await app.init();
    const told: LockEvent[] = [];
    app.get(LockService).onEvent(['lock-order-inverted'], (event) => told.push(event));
    return { orders: app.get(Orders), told, close: () => app.close() };
  };

  it('warns of methods that lock each other’s templates, although nothing waited', async () => {
    const { orders, told, close } = await open();
    await orders.pay('1', () => orders.take('2'));
    await orders.take('3', () => orders.pay('4'));
    await close();
    expect(told).toMatchObject([
      {
        first: 'stock:<0>',
        second: 'order:<0>',
        method: expect.stringContaining('Orders.pay'),
        otherMethod: expect.stringContaining('Orders.take'),
      },
    ]);
  });

  it('refuses them with throw, before anything is acquired', async () => {
    const { orders, close } = await open('throw');
    await orders.pay('1', () => orders.take('2'));
    await expect(orders.take('3', () => orders.pay('4'))).rejects.toBeInstanceOf(LockOrderError);
    await close();
  });

  it('leaves out attempts that do not wait, and everything with off', async () => {
    const waiting = await open();
    await waiting.orders.take('1', () => waiting.orders.pay('1'));
    await waiting.orders.pay('1', async () => void (await waiting.orders.attempt('2')));
    await waiting.close();
    expect(waiting.told).toEqual([]);
    const off = await open('off');
    await off.orders.pay('1', () => off.orders.take('2'));
    await off.orders.take('3', () => off.orders.pay('4'));
    await off.close();
    expect(off.told).toEqual([]);
  });

  it('is off in production, unless it is set', async () => {
    const before = process.env['NODE_ENV'];
    process.env['NODE_ENV'] = 'production';
    try {
      const { orders, told, close } = await open();
      await orders.pay('1', () => orders.take('2'));
      await orders.take('3', () => orders.pay('4'));
      await close();
      expect(told).toEqual([]);
    } finally {
      process.env['NODE_ENV'] = before;
    }
  });
});
