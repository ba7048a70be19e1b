import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { type Hold, Locked, LockService } from 'nest-redis-lock';
import { runtimeOf, start } from './applications.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

class OutOfStock extends Error {}

const charge = Symbol('charge');

@Injectable()
class Orders {
  readonly currency = 'EUR';

  constructor(
    private readonly locks: LockService,
    private readonly probe: ConcurrencyProbe,
  ) {}

  // The compiler refuses a plain value, since the lock makes it a promise.
  @(Locked('order:<0>') as MethodDecorator)
  total(id: string): unknown {
    return `${id}: 5 ${this.currency}, ${this.hold?.name}`;
  }

  @(Locked('order:<0>') as MethodDecorator)
  fail(_id: string, error: Error): unknown {
    throw error;
  }

  @Locked('order:<0>')
  async failLater(_id: string, error: unknown): Promise<void> {
    await this.probe.enter(error);
    throw error;
  }

  @Locked('order:<0>')
  async name(_id: string, ..._more: string[]): Promise<string | undefined> {
    await this.probe.enter('name');
    return this.hold?.name;
  }

  @Locked('order:<0>')
  async [charge](id: string): Promise<string> {
    return this.probe.enter(`${id} in ${this.currency}`);
  }

  private get hold(): Hold | undefined {
    return this.locks.currentHold();
  }
}

let app: TestingModule;
let orders: Orders;
let probe: ConcurrencyProbe;

const nothingIsHeld = (): void => expect(runtimeOf(app).grants.size).toBe(0);

beforeEach(async () => {
  app = await start({ providers: [ConcurrencyProbe, Orders] });
  orders = app.get(Orders);
  probe = app.get(ConcurrencyProbe);
});

afterEach(() => app.close());

describe('A @Locked method', () => {
  it('has its own `this`, and a promise of the value that it returns', async () => {
    const total = orders.total('42');
    expect(total).toBeInstanceOf(Promise);
    await expect(total).resolves.toBe('42: 5 EUR, order:42');
    nothingIsHeld();
  });

  it('runs under the lock that its key names, also after an await', async () => {
    await expect(orders.name('42')).resolves.toBe('order:42');
  });

  it('rejects with the very error that its body throws, and is released by then', async () => {
    const error = new OutOfStock();
    await expect(orders.fail('42', error)).rejects.toBe(error);
    nothingIsHeld();
  });

  it.each([new OutOfStock(), 'a text', undefined, null])(
    'rejects with the very %p that its promise rejects with, and is released by then',
    async (reason) => {
      const outcome = orders.failLater('42', reason).then(
        () => 'resolved',
        (error: unknown) => ({ error }),
      );
      const { error } = (await outcome) as { readonly error: unknown };
      expect(Object.is(error, reason)).toBe(true);
      nothingIsHeld();
    },
  );

  it('lets the next call in after one that failed', async () => {
    const calls = [orders.failLater('42', new OutOfStock()), orders.name('42'), orders.failLater('42', 'again')];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(probe.peak).toBe(1);
  });

  it('may be named by a symbol', async () => {
    await expect(Promise.all([orders[charge]('42'), orders[charge]('42')])).resolves.toEqual([
      '42 in EUR',
      '42 in EUR',
    ]);
    expect(probe.peak).toBe(1);
  });

  it('keeps its name and length', () => {
    expect({ name: orders.name.name, length: orders.name.length }).toEqual({ name: 'name', length: 1 });
    expect({ name: orders.failLater.name, length: orders.failLater.length }).toEqual({ name: 'failLater', length: 2 });
    expect(orders[charge].name).toBe('[charge]');
  });

  it('leaves no trace on the instance that JSON, a spread or a comparison would see', () => {
    expect(Object.keys(orders)).toEqual(['locks', 'probe', 'currency']);
    expect(Object.getOwnPropertySymbols(Object.assign({}, orders))).toEqual([]);
  });
});

describe('Two applications in one process', () => {
  it('lock the same class each for itself', async () => {
    const shared = new ConcurrencyProbe();
    const providers = [{ provide: ConcurrencyProbe, useValue: shared }, Orders];
    const both = await Promise.all([start({ providers }), start({ providers })]);
    await Promise.all(both.flatMap((one) => [one.get(Orders).name('42'), one.get(Orders).name('42')]));
    expect(shared.peak).toBe(2);
    await Promise.all(both.map((one) => one.close()));
  });
});
