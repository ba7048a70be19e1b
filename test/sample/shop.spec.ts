import { open, type OpenShop } from './open-shop.js';
import { figuresOf } from '../../sample/shop/flash-sale/figures.js';
import { offerOf, orderRequests } from '../../sample/shop/flash-sale/offer.js';
import { runSale, type Sale } from '../../sample/shop/flash-sale/sale.js';
import { ShopClient } from '../../sample/shop/flash-sale/shop-client.js';
import type { Snapshot, WarehouseState } from '../../sample/shop/dashboard/snapshot.js';
import type { Order } from '../../sample/shop/orders/order.js';
import { until } from '../kit/until.js';

let shop: OpenShop;

afterEach(() => shop.app.close());

const post = (body: unknown): Promise<Response> =>
  fetch(`${shop.url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const sale = (): Promise<Sale> =>
  runSale({ offer: offerOf(100), requests: orderRequests(300), connect: () => new ShopClient(shop.url) });

describe('A flash sale', () => {
  it.each(['unfair', 'fair'])('with %s locks sells each item once and refuses the other orders', async (locking) => {
    shop = await open({ LOCKING: locking, PAYMENT_MS: '1' });
    const figures = figuresOf(await sale());
    expect(figures).toMatchObject({ itemsSold: 100, stockLeft: 0, oversold: 0, failed: 0 });
    expect(figures.accepted + figures.refused).toBe(300);
  });

  it('with locks off oversells, although the stock still shows some', async () => {
    shop = await open({ LOCKING: 'off', PAYMENT_MS: '1' });
    const { oversold, failed, stockLeft, itemsSold } = figuresOf(await sale());
    expect(oversold).toBeGreaterThan(0);
    expect(stockLeft + itemsSold).toBeGreaterThan(100);
    expect(failed).toBe(0);
  });
});

describe('The shop', () => {
  beforeEach(async () => {
    shop = await open({});
    using manager = new ShopClient(shop.url);
    await manager.restock([
      { warehouse: 'berlin', sku: 'console', stock: 3 },
      { warehouse: 'berlin', sku: 'headset', stock: 1 },
    ]);
  });

  const inventory = async (): Promise<unknown> => (await fetch(`${shop.url}/inventory`)).json();

  it('answers an order with its id, under which it can be read, and books every line', async () => {
    const lines = [
      { sku: 'console', quantity: 2 },
      { sku: 'headset', quantity: 1 },
    ];
    const response = await post({ warehouse: 'berlin', lines });
    const order = (await response.json()) as Order;
    expect(response.status).toBe(201);
    expect(order).toEqual({ id: expect.any(String), number: 1, warehouse: 'berlin', lines });
    expect(await (await fetch(`${shop.url}/orders/${order.id}`)).json()).toEqual(order);
    expect(await inventory()).toEqual({
      balances: true,
      entries: [
        { warehouse: 'berlin', sku: 'console', offered: 3, stock: 1, sold: 2 },
        { warehouse: 'berlin', sku: 'headset', offered: 1, stock: 0, sold: 1 },
      ],
    });
  });

  it('refuses an order with 409 when one of its articles does not suffice, and books none of it', async () => {
    const lines = [
      { sku: 'console', quantity: 1 },
      { sku: 'headset', quantity: 2 },
    ];
    const response = await post({ warehouse: 'berlin', lines });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ message: 'headset in berlin: 2 wanted, 1 left' });
    expect(await inventory()).toEqual({
      balances: true,
      entries: [
        { warehouse: 'berlin', sku: 'console', offered: 3, stock: 3, sold: 0 },
        { warehouse: 'berlin', sku: 'headset', offered: 1, stock: 1, sold: 0 },
      ],
    });
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

  it('answers 404 for an unknown order', async () => {
    expect((await fetch(`${shop.url}/orders/unknown`)).status).toBe(404);
  });

  it('replaces stock and orders of the named warehouses only', async () => {
    using manager = new ShopClient(shop.url);
    await manager.restock([{ warehouse: 'lyon', sku: 'console', stock: 2 }]);
    await post({ warehouse: 'lyon', lines: [{ sku: 'console', quantity: 1 }] });
    await post({ warehouse: 'berlin', lines: [{ sku: 'console', quantity: 1 }] });
    await manager.restock([{ warehouse: 'berlin', sku: 'stand', stock: 9 }]);
    expect(await inventory()).toEqual({
      balances: true,
      entries: [
        { warehouse: 'lyon', sku: 'console', offered: 2, stock: 1, sold: 1 },
        { warehouse: 'berlin', sku: 'stand', offered: 9, stock: 9, sold: 0 },
      ],
    });
  });

  it('packs an order when all its lines were picked, and only once', async () => {
    const lines = [
      { sku: 'console', quantity: 2 },
      { sku: 'headset', quantity: 1 },
    ];
    const { id } = (await (await post({ warehouse: 'berlin', lines })).json()) as Order;
    const pack = async (): Promise<unknown> =>
      (await fetch(`${shop.url}/orders/${id}/parcel`, { method: 'PUT' })).json();
    const [parcel, again] = await Promise.all([pack(), pack()]);
    expect(parcel).toEqual({
      orderId: id,
      lines: expect.arrayContaining(lines.map((line) => ({ ...line, orderId: id, pickedBy: 1 }))),
    });
    expect(again).toEqual(parcel);
    expect(await pack()).toEqual(parcel);
  });

  it('answers 404 for the parcel of an unknown order', async () => {
    expect((await fetch(`${shop.url}/orders/unknown/parcel`, { method: 'PUT' })).status).toBe(404);
  });

  it('serves no order in a closed warehouse, and shows how many wait', async () => {
    const closure = new ShopClient(shop.url);
    await closure.listen('/inventory/berlin/closed');
    using manager = new ShopClient(shop.url);
    const order = post({ warehouse: 'berlin', lines: [{ sku: 'console', quantity: 1 }] });
    const berlin = async (): Promise<WarehouseState | undefined> =>
      (await manager.read<Snapshot>('/status')).warehouses[0];
    await until(async () => (await berlin())?.waiting === 1, 30_000, 'the order waits');
    expect(await berlin()).toMatchObject({ lock: { mode: 'exclusive', holders: [{ process: 1 }] } });
    closure[Symbol.dispose]();
    expect((await order).status).toBe(201);
    await until(async () => (await berlin())?.lock.mode === 'free', 10_000, 'the order was served');
    expect(await berlin()).toMatchObject({ waiting: 0 });
  });

  it('runs one sale at a time', async () => {
    const hold = (): Promise<Response> =>
      fetch(`${shop.url}/sales`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ buyers: 40, seconds: 1 }),
      });
    const statuses = (await Promise.all([hold(), hold()])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 409]);
  });

  it.each([[{ seconds: 0 }], [{ buyers: 'many' }], [[]]])('answers a sale of %j with 400', async (body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${shop.url}/sales`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(400);
  });
});
