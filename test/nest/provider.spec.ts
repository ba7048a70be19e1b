import { Injectable, Scope } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, LockConflictError, LockNameError, LockService } from 'nest-redis-lock';
import { runtimeOf, start } from './applications.js';
import { caught } from '../kit/caught.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

interface Line {
  readonly sku: string;
}

interface Order {
  readonly id: string;
  readonly lines: readonly Line[];
}

@Injectable()
class Shop {
  readonly seen: (string | undefined)[] = [];

  constructor(private readonly locks: LockService) {}

  @Locked('order:<0.order.id>')
  async payFor(_cart: { readonly order: { readonly id: number } }): Promise<void> {
    this.see('order:7');
  }

  @Locked((id: string, tenant: string) => `${tenant}/${id}`)
  async byFunction(_id: string, _tenant: string): Promise<void> {
    this.see('acme/42');
  }

  @Locked((order: Order) => order.lines.map(({ sku }) => `stock:${sku}`))
  async severalByFunction(_order: Order): Promise<void> {
    this.see('stock:a', 'stock:b');
  }

  @Locked('stock:<0.lines.sku>', { wait: 0 })
  async reserve(_order: Order): Promise<void> {
    this.onReserve();
    this.see('stock:a', 'stock:b', 'stock:c');
  }

  onReserve(): void {}

  private see(...names: string[]): void {
    this.seen.push(...names.map((name) => this.locks.currentHold(name)?.name));
  }
}

const orderOf = (...skus: string[]): Order => ({ id: '1', lines: skus.map((sku) => ({ sku })) });

describe.each([
  ['A singleton', Scope.DEFAULT, 1],
  ['A request-scoped provider', Scope.REQUEST, 4],
  ['A transient provider', Scope.TRANSIENT, 4],
])('%s with a @Locked method', (_, scope, instancesInAll) => {
  @Injectable({ scope })
  class Orders {
    constructor(private readonly probe: ConcurrencyProbe) {}

    @Locked('order:<0>')
    async pay(id: string): Promise<string> {
      return this.probe.enter(id);
    }
  }

  let app: TestingModule;
  let instances: Orders[];
  let probe: ConcurrencyProbe;

  beforeEach(async () => {
    app = await start({ providers: [ConcurrencyProbe, Orders] });
    instances = await Promise.all(Array.from({ length: 4 }, () => app.resolve(Orders)));
    probe = app.get(ConcurrencyProbe);
  });

  afterEach(() => app.close());

  it('runs calls on one key one at a time, through any instance', async () => {
    expect(new Set(instances).size).toBe(instancesInAll);
    await expect(Promise.all(instances.map((orders) => orders.pay('1')))).resolves.toEqual(['1', '1', '1', '1']);
    expect(probe.peak).toBe(1);
  });

  it('runs calls on different keys at once', async () => {
    await Promise.all(instances.map((orders, index) => orders.pay(`${index}`)));
    expect(probe.peak).toBe(4);
  });
});

describe('The key of a @Locked method', () => {
  let app: TestingModule;
  let shop: Shop;
  let locks: LockService;

  beforeEach(async () => {
    app = await start({ providers: [Shop] });
    shop = app.get(Shop);
    locks = app.get(LockService);
  });

  afterEach(() => app.close());

  it('may be a path into an argument', async () => {
    await shop.payFor({ order: { id: 7 } });
    expect(shop.seen).toEqual(['order:7']);
  });

  it('may come from a function of the arguments', async () => {
    await shop.byFunction('42', 'acme');
    expect(shop.seen).toEqual(['acme/42']);
  });

  it('may be several names from a function', async () => {
    await shop.severalByFunction(orderOf('b', 'a', 'b'));
    expect(shop.seen).toEqual(['stock:a', 'stock:b']);
  });

  it('locks each element of a list once, in the order of the names', async () => {
    const { grants } = runtimeOf(app);
    const taken: string[] = [];
    jest.spyOn(shop, 'onReserve').mockImplementation(() => taken.push(...[...grants].map(({ name }) => name)));
    await shop.reserve(orderOf('c', 'a', 'b', 'a', 'c'));
    expect(taken).toEqual(['stock:a', 'stock:b', 'stock:c']);
    expect(shop.seen).toEqual(['stock:a', 'stock:b', 'stock:c']);
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it('gets all names of a list or none', async () => {
    const rival = await locks.acquire('stock:b');
    await expect(shop.reserve(orderOf('a', 'b', 'c'))).rejects.toBeInstanceOf(LockConflictError);
    expect(shop.seen).toEqual([]);
    expect([...runtimeOf(app).grants].map(({ name }) => name)).toEqual(['stock:b']);
    await rival.release();
    await shop.reserve(orderOf('a', 'b', 'c'));
    expect(shop.seen).toHaveLength(3);
  });

  it.each([
    ['an empty list', (): unknown => shop.reserve(orderOf())],
    ['a list with an empty name', () => shop.reserve(orderOf('a', ''))],
    ['an argument that is missing', () => shop.payFor(undefined as never)],
    ['a part that is missing', () => shop.payFor({ order: {} } as never)],
    ['a part that is an object', () => shop.payFor({ order: { id: {} } } as never)],
    ['no names from a function', () => shop.severalByFunction(orderOf())],
    ['nothing from a function', () => shop.severalByFunction({ lines: { map: () => null } } as never)],
    ['no text from a function', () => shop.severalByFunction({ lines: { map: () => [7, 8] } } as never)],
  ])('rejects with LockNameError for %s before the method runs', async (_, call) => {
    // The call is outside of `expect`, so that a thrown error fails the test.
    const outcome = Promise.resolve(call());
    await caught(outcome, LockNameError);
    expect(shop.seen).toEqual([]);
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it('rejects with the error of a key function that throws', async () => {
    await expect(shop.severalByFunction(null as never)).rejects.toBeInstanceOf(TypeError);
    expect(shop.seen).toEqual([]);
  });
});
