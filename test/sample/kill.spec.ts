import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import { LockService } from 'nest-redis-lock';
import { ShopData } from '../../sample/shop/data/shop-data.js';
import type { Figures } from '../../sample/shop/flash-sale/figures.js';
import { OperatorService } from '../../sample/shop/operator/operator.service.js';
import { PaymentProvider } from '../../sample/shop/payments/payment-provider.js';
import { PaymentService } from '../../sample/shop/payments/payment.service.js';
import type { OperatorRequest } from '../../sample/shop/processes/process-protocol.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';
import { open, type OpenShop } from './open-shop.js';

/** The parent of a process of the shop: it answers that process 3 was killed, and keeps what was asked. */
class Parent extends EventEmitter {
  readonly asked: OperatorRequest[] = [];

  send(request: OperatorRequest): void {
    this.asked.push(request);
    this.emit('message', { id: request.id, killed: 3 });
  }
}

describe('D67: what a kill leaves in the shop', () => {
  let shop: OpenShop;

  beforeEach(async () => {
    shop = await open({ PAYMENT_MS: '1' });
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await shop.app.close();
  });

  const get = <T>(type: new (...args: never[]) => T): T => shop.app.get(type, { strict: false });

  it('spares the process that holds the sale', async () => {
    const parent = new Parent();
    const { worker } = cluster;
    Reflect.set(cluster, 'worker', parent);
    try {
      await get(OperatorService).kill();
      await get(LockService).withLock('sale', async () => {
        const sale = get(LockService).getLock('sale');
        await until(async () => (await sale.inspect()).holders[0]?.record !== undefined);
        await get(OperatorService).kill();
      });
    } finally {
      Reflect.set(cluster, 'worker', worker);
    }
    expect(parent.asked.map(({ wanted, spare }) => [wanted, spare])).toEqual([
      ['kill', undefined],
      ['kill', process.pid],
    ]);
  });

  it('holds payments by permits with a lease, so that those of a killed process are free again', async () => {
    const gate = new Gate();
    jest.spyOn(get(PaymentProvider), 'charge').mockImplementation(() => gate.pass());
    const paid = get(PaymentService).charge();
    await gate.reached;
    const held = [];
    for await (const { kind, holders } of get(LockService).list('payment-gateway')) held.push({ kind, holders });
    gate.open();
    await paid;
    expect(held).toEqual([{ kind: 'limit', holders: [expect.objectContaining({ count: 1 })] }]);
    expect(held[0]?.holders[0]?.remaining).toBeGreaterThan(0);
  });

  it('does not count the payments of a killed process for ever', async () => {
    const data = shop.app.get(ShopData, { strict: false });
    // Its process is killed before it can say that it is over.
    const add = data.add.bind(data);
    const writes = [
      jest.spyOn(data, 'remove').mockResolvedValue(),
      jest.spyOn(data, 'add').mockImplementation(async (table, row, by) => (by < 0 ? 0 : add(table, row, by))),
    ];
    await get(PaymentService).charge();
    for (const write of writes) write.mockRestore();
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    await get(PaymentService).charge();
    expect(await get(PaymentProvider).log()).toEqual({ payments: 2, peak: 1 });
  });

  it('ends a sale although a buyer gets no answer', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('no answer')));
    const response = await fetch(`${shop.url}/sales`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ buyers: 3, seconds: 1 }),
    });
    expect(response.status).toBe(201);
    expect((await response.json()) as Figures).toMatchObject({ accepted: 0, failed: 3 });
    expect(timeout).toHaveBeenCalledWith(30_000);
  });
});
