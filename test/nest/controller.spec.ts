import { adapters, runtimeOf, serve, type Served } from './applications.js';
import { OrderController, RequestController, seenByGuard } from './order.controllers.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

describe.each(adapters)('A controller with @Locked handlers on %s', (_, adapter) => {
  let served: Served;
  let probe: ConcurrencyProbe;

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${served.url}/${path}`, { headers });
  const post = (path: string, body: unknown) =>
    fetch(`${served.url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tenant': 'acme' },
      body: JSON.stringify(body),
    });

  beforeAll(async () => {
    served = await serve(adapter, { controllers: [OrderController, RequestController], providers: [ConcurrencyProbe] });
  });

  beforeEach(() => {
    probe = served.app.get(ConcurrencyProbe);
    probe.peak = 0;
    seenByGuard.length = 0;
  });

  afterAll(() => served.app.close());

  it.each([
    ['above', 'buyer'],
    ['below', 'seller'],
    ['between', 'carrier'],
  ])(
    'keeps route, status, header, guard, interceptor and metadata with @Locked %s other decorators',
    async (place, role) => {
      const response = await get(`orders/${place}/%20007`);
      await expect(response.json()).resolves.toEqual({ wrapped: { id: 7, lock: 'order:7' } });
      expect([response.status, response.headers.get('x-stock')]).toEqual([202, 'kept']);
      expect(seenByGuard).toEqual([[role, place, 1]]);
    },
  );

  it('locks by the body as the validation pipe transformed it', async () => {
    const response = await post('orders', { id: '42', lines: [] });
    await expect(response.json()).resolves.toEqual({ tenant: 'acme', isOrder: true, lock: 'acme:order:42' });
  });

  it('locks every element of a list in the body', async () => {
    const response = await post('orders/reserve', { id: 1, lines: [{ sku: 'b' }, { sku: 'a' }, { sku: 'b' }] });
    await expect(response.json()).resolves.toEqual(['stock:b', 'stock:a', 'stock:b']);
  });

  it('takes no lock for a request that a pipe refuses', async () => {
    const acquire = jest.spyOn(runtimeOf(served.app).backend.lock, 'acquire');
    const response = await post('orders', { id: 'none', lines: [] });
    expect(response.status).toBe(400);
    expect(acquire).not.toHaveBeenCalled();
    acquire.mockRestore();
  });

  it('runs requests for one key one at a time', async () => {
    const responses = await Promise.all(Array.from({ length: 6 }, () => get('orders/visit/42')));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(probe.peak).toBe(1);
    expect(runtimeOf(served.app).grants.size).toBe(0);
  });

  it('lets the HttpException of a handler through', async () => {
    const response = await get('orders/missing/42');
    expect(response.status).toBe(404);
    await expect(response.json()).resolves.toEqual({
      error: 'Not Found',
      message: 'There is no order 42',
      statusCode: 404,
    });
    expect(runtimeOf(served.app).grants.size).toBe(0);
  });

  it('locks handlers of a request-scoped controller, each with its own request', async () => {
    const users = ['ada', 'bob', 'eve'];
    const answers = await Promise.all(users.map(async (user) => (await get('mine/42', { 'x-user': user })).json()));
    expect(answers).toEqual(users.map((user) => ({ user })));
    expect(probe.peak).toBe(1);
  });
});
