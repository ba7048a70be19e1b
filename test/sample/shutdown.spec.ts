import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ShopClient } from '../../sample/shop/flash-sale/shop-client.js';
import type { ProviderLog } from '../../sample/shop/payments/payment-provider.js';
import { ShutdownSignal } from '../../sample/shop/shutdown-signal.js';
import { until } from '../kit/until.js';
import { open, type OpenShop } from './open-shop.js';

/** Connects as a browser does that opens connections before it needs them. */
const openConnection = async ({ url }: OpenShop): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

describe('A shop that closes', () => {
  it('ends a connection on which no request has come', async () => {
    const shop = await open({});
    const socket = await openConnection(shop);
    const received = text(socket);
    await shop.app.close();
    expect(await received).toBe('');
  });

  it('ends a live stream that is requested after its shutdown began', async () => {
    const shop = await open({});
    shop.app.get(ShutdownSignal, { strict: false }).onModuleDestroy();
    const stream = await fetch(`${shop.url}/live`);
    expect((await stream.text()).trim()).toBe('');
    await shop.app.close();
  });

  it('answers a request that it has begun', async () => {
    const shop = await open({ PAYMENT_MS: '300', LOCKING: 'off' });
    using manager = new ShopClient(shop.url);
    await manager.restock([{ warehouse: 'berlin', sku: 'console', stock: 1 }]);
    using buyer = new ShopClient(shop.url);
    const order = buyer.order({ warehouse: 'berlin', lines: [{ sku: 'console', quantity: 1 }] });
    const isPaying = async (): Promise<boolean> => (await manager.read<ProviderLog>('/payments')).payments === 1;
    await until(isPaying, 30_000, 'the order is being paid');
    await shop.app.close();
    expect(await order).toMatchObject({ status: 201 });
  });
});
