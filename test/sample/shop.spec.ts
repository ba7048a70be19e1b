import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../sample/app.module.js';
import { figuresOf } from '../../sample/flash-sale/figures.js';
import { OFFER, wishes } from '../../sample/flash-sale/offer.js';
import { holdSale, type Sale } from '../../sample/flash-sale/sale.js';
import { ShopClient } from '../../sample/flash-sale/shop-client.js';
import type { Order } from '../../sample/orders/order.js';
import { readSettings } from '../../sample/shop.settings.js';

let app: INestApplication;
let url: string;

const open = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const module = await Test.createTestingModule({ imports: [AppModule.with(readSettings(env))] }).compile();
  app = module.createNestApplication();
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
};

afterEach(() => app.close());

const post = (body: unknown): Promise<Response> =>
  fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const sale = (): Promise<Sale> => holdSale({ offer: OFFER, wishes: wishes(300), connect: () => new ShopClient(url) });

describe('A flash sale', () => {
  it('with locks on sells each item once and refuses the other orders', async () => {
    await open({ LOCKING: 'on', PAYMENT_MS: '1' });
    const figures = figuresOf(await sale());
    expect(figures).toMatchObject({ itemsSold: 100, stockLeft: 0, oversold: 0, failed: 0 });
    expect(figures.accepted + figures.refused).toBe(300);
  });

  it('with locks off sells what is not there, although the stock still shows some', async () => {
    await open({ LOCKING: 'off', PAYMENT_MS: '1' });
    const { oversold, failed, stockLeft, itemsSold } = figuresOf(await sale());
    expect(oversold).toBeGreaterThan(0);
    expect(stockLeft + itemsSold).toBeGreaterThan(100);
    expect(failed).toBe(0);
  });
});

describe('The shop', () => {
  beforeEach(async () => {
    await open({});
    using keeper = new ShopClient(url);
    await keeper.restock([
      { warehouse: 'berlin', sku: 'console', stock: 3 },
      { warehouse: 'berlin', sku: 'headset', stock: 1 },
    ]);
  });

  const inventory = async (): Promise<unknown> => (await fetch(`${url}/inventory`)).json();

  it('answers an order with its id, under which it can be read, and books every line', async () => {
    const lines = [
      { sku: 'console', quantity: 2 },
      { sku: 'headset', quantity: 1 },
    ];
    const response = await post({ warehouse: 'berlin', lines });
    const order = (await response.json()) as Order;
    expect(response.status).toBe(201);
    expect(order).toEqual({ id: expect.any(String), warehouse: 'berlin', lines });
    expect(await (await fetch(`${url}/orders/${order.id}`)).json()).toEqual(order);
    expect(await inventory()).toEqual([
      { warehouse: 'berlin', sku: 'console', stock: 1, sold: 2 },
      { warehouse: 'berlin', sku: 'headset', stock: 0, sold: 1 },
    ]);
  });

  it('refuses an order with 409 when one of its articles does not suffice, and books none of it', async () => {
    const lines = [
      { sku: 'console', quantity: 1 },
      { sku: 'headset', quantity: 2 },
    ];
    const response = await post({ warehouse: 'berlin', lines });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ message: 'headset in berlin: 2 wanted, 1 left' });
    expect(await inventory()).toEqual([
      { warehouse: 'berlin', sku: 'console', stock: 3, sold: 0 },
      { warehouse: 'berlin', sku: 'headset', stock: 1, sold: 0 },
    ]);
  });

  it.each([
    ['nothing', {}],
    ['no line', { warehouse: 'berlin', lines: [] }],
    ['a line that is none', { warehouse: 'berlin', lines: [null] }],
    ['half an item', { warehouse: 'berlin', lines: [{ sku: 'console', quantity: 0.5 }] }],
    ['less than nothing', { warehouse: 'berlin', lines: [{ sku: 'console', quantity: -1 }] }],
    ['a warehouse that is no name', { warehouse: 'berlin/console', lines: [{ sku: 'console', quantity: 1 }] }],
    [
      'two lines for one article',
      {
        warehouse: 'berlin',
        lines: [
          { sku: 'console', quantity: 1 },
          { sku: 'console', quantity: 1 },
        ],
      },
    ],
  ])('answers an order for %s with 400', async (_what, body) => {
    expect((await post(body)).status).toBe(400);
  });

  it('answers 404 for an order it does not know', async () => {
    expect((await fetch(`${url}/orders/unknown`)).status).toBe(404);
  });
});
