import { Controller, Inject, Injectable, Module, type OnModuleInit, Scope } from '@nestjs/common';
import { ContextIdFactory, LazyModuleLoader, ModuleRef } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Locked, LockNotWiredError, LockService, RedisLockModule } from 'nest-redis-lock';
import { defer, firstValueFrom, Observable } from 'rxjs';
import { start } from './applications.js';
import { caught } from '../kit/caught.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

@Injectable()
class Orders {
  constructor(@Inject(ConcurrencyProbe) readonly probe: ConcurrencyProbe) {}

  @Locked('order:<0>')
  async pay(id: string): Promise<string> {
    return this.probe.enter(id);
  }

  @Locked('order:<0>')
  follow(id: string): Observable<string> {
    return defer(() => this.probe.enter(id));
  }

  @Locked('order:<0>')
  async *list(id: string): AsyncGenerator<string> {
    yield this.probe.enter(id);
  }
}

@Controller()
class OrdersController extends Orders {}

const refusal = (call: Promise<unknown>): Promise<LockNotWiredError> => caught(call, LockNotWiredError);

describe('An instance that was not wired', () => {
  it('says which method cannot be locked and what to do', async () => {
    const error = await refusal(new Orders(new ConcurrencyProbe()).pay('1'));
    expect(error.code).toBe('LOCK_NOT_WIRED');
    expect(error.message).toContain('Orders.pay is @Locked, but its instance was not wired by Nest');
    expect(error.message).toContain('let Nest construct the class');
    expect(error.message).toContain('Test.createTestingModule with RedisLockModule.forRoot({ connection: "memory" })');
  });

  it('fails in the way in which the method returns, and not before', async () => {
    const orders = new Orders(new ConcurrencyProbe());
    const statuses = orders.follow('1');
    const items = orders.list('1');
    expect((await refusal(firstValueFrom(statuses))).message).toContain('Orders.follow is @Locked');
    expect((await refusal(items.next())).message).toContain('Orders.list is @Locked');
    expect(orders.probe.entered).toEqual([]);
  });

  it('says so for a method that was torn off its instance', async () => {
    const { pay } = Orders.prototype as { pay(this: void, id: string): Promise<string> };
    expect((await refusal(pay('1'))).message).toContain('Orders.pay is @Locked');
  });

  it('says so for a call from a constructor, where onModuleInit is the place', async () => {
    @Injectable()
    class Eager implements OnModuleInit {
      readonly early = refusal(this.warmUp());
      late: unknown;

      @Locked('warm-up')
      async warmUp(): Promise<string> {
        return 'warm';
      }

      async onModuleInit(): Promise<void> {
        this.late = await this.warmUp();
      }
    }
    const app = await start({ providers: [Eager] });
    expect((await app.get(Eager).early).message).toContain('In a constructor it is too early');
    expect(app.get(Eager).late).toBe('warm');
    await app.close();
  });

  it('is not wired by an auto-mock, which would swallow the method', async () => {
    const app = await Test.createTestingModule({ providers: [ConcurrencyProbe, Orders] })
      .useMocker(() => ({ aroundPromise: async () => 'mocked', aroundObservable: () => 'mocked' }))
      .compile();
    await app.init();
    await refusal(app.get(Orders).pay('1'));
    expect(app.get(ConcurrencyProbe).entered).toEqual([]);
    await app.close();
  });
});

describe('An application without RedisLockModule', () => {
  it.each([
    ['provider', { providers: [ConcurrencyProbe, Orders] }],
    ['controller', { providers: [ConcurrencyProbe], controllers: [OrdersController] }],
  ])('does not compile with a @Locked %s, and says what to import', async (_, metadata) => {
    const compiling = Test.createTestingModule(metadata).compile();
    await expect(compiling).rejects.toThrow('@Locked (import RedisLockModule.forRoot)');
  });
});

describe('An instance that Nest did not construct is wired', () => {
  const exclude = async (...instances: Orders[]): Promise<number> => {
    const [{ probe }] = instances as [Orders];
    await Promise.all(instances.map((orders) => orders.pay('1')));
    return probe.peak;
  };

  it.each([
    ['useValue', { provide: 'orders', useValue: new Orders(new ConcurrencyProbe()) }],
    ['useFactory', { provide: 'orders', useFactory: () => new Orders(new ConcurrencyProbe()) }],
    ['D55: a frozen useValue', { provide: 'orders', useValue: Object.freeze(new Orders(new ConcurrencyProbe())) }],
    ['an asynchronous useFactory', { provide: 'orders', useFactory: async () => new Orders(new ConcurrencyProbe()) }],
  ])('by %s', async (_, provider) => {
    const app = await start({ providers: [provider] });
    const orders = app.get<Orders>('orders');
    await expect(exclude(orders, orders)).resolves.toBe(1);
    await app.close();
  });

  it.each([
    ['request scope', Scope.REQUEST, false],
    ['request scope, asynchronous', Scope.REQUEST, true],
    ['transient scope', Scope.TRANSIENT, false],
  ])('D55: by a useFactory of %s', async (_, scope, isAsync) => {
    const make = () => new Orders(new ConcurrencyProbe());
    const provider = { provide: 'orders', scope, useFactory: isAsync ? async () => make() : make };
    @Injectable()
    class Checkout {
      constructor(@Inject('orders') readonly orders: Orders) {}
    }
    const app = await start({ providers: [provider, Checkout] });
    for (let times = 0; times < 2; times += 1) {
      const { orders } = await app.resolve(Checkout, ContextIdFactory.create());
      await expect(exclude(orders, orders)).resolves.toBe(1);
    }
    await app.close();
  });

  it('D55: when its class freezes it', async () => {
    @Injectable()
    class Frozen extends Orders {
      constructor(probe: ConcurrencyProbe) {
        super(probe);
        Object.freeze(this);
      }
    }
    const app = await start({ providers: [ConcurrencyProbe, Frozen] });
    await expect(exclude(app.get(Frozen), app.get(Frozen))).resolves.toBe(1);
    await app.close();
  });

  it('in another module than the one that uses it', async () => {
    @Module({
      providers: [{ provide: 'orders', useFactory: () => new Orders(new ConcurrencyProbe()) }],
      exports: ['orders'],
    })
    class OrdersModule {}
    @Injectable()
    class Checkout {
      constructor(@Inject('orders') readonly orders: Orders) {}
    }
    const app = await start({ imports: [OrdersModule], providers: [Checkout] });
    const { orders } = app.get(Checkout);
    await expect(exclude(orders, orders)).resolves.toBe(1);
    await app.close();
  });

  it('again by the next application after the one before has closed', async () => {
    const orders = new Orders(new ConcurrencyProbe());
    const providers = [{ provide: 'orders', useValue: orders }];
    await (await start({ providers })).close();
    const app = await start({ providers });
    await expect(exclude(orders, orders)).resolves.toBe(1);
    await app.close();
  });

  it('once if it is also registered under another token', async () => {
    const app = await start({ providers: [ConcurrencyProbe, Orders, { provide: 'orders', useExisting: Orders }] });
    await expect(exclude(app.get(Orders), app.get<Orders>('orders'))).resolves.toBe(1);
    await app.close();
  });

  it('when ModuleRef creates it', async () => {
    @Injectable()
    class Creator {
      constructor(readonly moduleRef: ModuleRef) {}
    }
    const app = await start({ providers: [ConcurrencyProbe, Creator] });
    const created = await app.get(Creator).moduleRef.create(Orders);
    await expect(exclude(created, created)).resolves.toBe(1);
    await app.close();
  });

  it('when a module that is loaded lazily provides it', async () => {
    @Module({ providers: [ConcurrencyProbe, Orders], exports: [Orders] })
    class LazyModule {}
    const app = await start({});
    const lazy = await app.get(LazyModuleLoader).load(() => LazyModule);
    const orders = lazy.get(Orders);
    await expect(exclude(orders, orders)).resolves.toBe(1);
    expect(app.get(LockService).currentHold()).toBeUndefined();
    await app.close();
  });

  it('D55: not when a factory of a module that is loaded lazily makes it, and its error says so', async () => {
    @Module({ providers: [{ provide: 'orders', useFactory: () => new Orders(new ConcurrencyProbe()) }] })
    class LazyModule {}
    const app = await start({});
    const lazy = await app.get(LazyModuleLoader).load(() => LazyModule);
    const paying = lazy.get<Orders>('orders').pay('1');
    await expect(paying).rejects.toThrow(/in a module that is loaded lazily, not by useFactory/);
    await expect(paying).rejects.toBeInstanceOf(LockNotWiredError);
    await app.close();
  });

  it('when a class under an abstract token is', async () => {
    abstract class Payments {
      abstract pay(id: string): Promise<string>;
    }
    const app = await start({ providers: [ConcurrencyProbe, { provide: Payments, useClass: Orders }] });
    const payments = app.get(Payments);
    await Promise.all([payments.pay('1'), payments.pay('1')]);
    expect(app.get(ConcurrencyProbe).peak).toBe(1);
    await app.close();
  });
});

describe('An application whose lock module is not global', () => {
  it('compiles if the module with @Locked imports it, and only then', async () => {
    const locking = RedisLockModule.forRoot({ connection: 'memory', isGlobal: false });
    @Module({ imports: [locking], providers: [ConcurrencyProbe, Orders], exports: [Orders, ConcurrencyProbe] })
    class OrdersModule {}
    const app = await Test.createTestingModule({ imports: [OrdersModule] }).compile();
    await app.init();
    const orders = app.get(Orders);
    await Promise.all([orders.pay('1'), orders.pay('1')]);
    expect(app.get(ConcurrencyProbe).peak).toBe(1);
    await app.close();
    const elsewhere = Test.createTestingModule({
      imports: [OrdersModule],
      providers: [ConcurrencyProbe, Orders],
    }).compile();
    await expect(elsewhere).rejects.toThrow('@Locked (import RedisLockModule.forRoot)');
  });
});
