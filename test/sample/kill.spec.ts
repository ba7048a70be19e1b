import cluster from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { LockService } from 'nest-redis-lock';
import { ShopData } from '../../sample/shop/data/shop-data.js';
import { SaleService } from '../../sample/shop/flash-sale/sale.service.js';
import { ShopClient } from '../../sample/shop/flash-sale/shop-client.js';
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
        const seller = {
          owner: 'seller',
          mode: 'exclusive',
          count: 1,
          remaining: 30_000,
          isThisProcess: false,
        } as const;
        const young = { ...(await sale.inspect()), holders: [seller] };
        jest.spyOn(sale, 'inspect').mockResolvedValueOnce(young);
        jest.spyOn(get(LockService), 'getLock').mockReturnValueOnce(sale);
        await expect(get(OperatorService).kill()).rejects.toThrow('wait until its process is known');
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

  it('ends a request that gets no answer, as on a connection that was on the way to a killed process', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    using client = new ShopClient(`http://127.0.0.1:${port}`, undefined, 50);
    await expect(client.inventory()).rejects.toThrow('GET /inventory had no answer for 50 ms');
    silent.close();
  });

  it('holds a sale whose requests do not wait without a limit', async () => {
    const restock = jest.spyOn(ShopClient.prototype, 'restock').mockRejectedValue(new Error('no answer'));
    await expect(get(SaleService).hold({ buyers: 3, seconds: 1, items: 50 })).rejects.toThrow('no answer');
    expect(restock.mock.contexts).toEqual([expect.objectContaining({ patience: 30_000 })]);
  });
});
