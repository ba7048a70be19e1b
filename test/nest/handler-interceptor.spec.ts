import { once } from 'node:events';
import { connect } from 'node:http2';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { LockedHandler, LockNameError, LockOptionsError, LockService, lockHandler } from 'nest-redis-lock';
import { thrownBy } from '../kit/caught.js';
import { adapters, runtimeOf, serve, type Served } from './applications.js';
import { CartController, Witness } from './cart.controller.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';
import { until } from '../kit/until.js';

describe.each(adapters)('A handler behind lockHandler() on %s', (_, adapter) => {
  let served: Served;
  let carts: CartController;
  let witness: Witness;
  let locks: LockService;

  const get = (path: string, init?: RequestInit) => fetch(`${served.url}/carts/${path}`, init);
  const textOf = async (path: string) => (await get(path)).text();
  const isFree = async () => !(await locks.getLock('cart:1').isLocked());
  const isTaken = async () => expect(await locks.getLock('cart:1').isLocked()).toBe(true);

  beforeEach(async () => {
    served = await serve(adapter, { controllers: [CartController], providers: [ConcurrencyProbe, Witness] });
    carts = served.app.get(CartController);
    witness = served.app.get(Witness);
    locks = served.app.get(LockService);
  });

  afterEach(() => served.app.close());

  it('is locked with its pipes and inner interceptors, and without the outer ones', async () => {
    await expect(textOf('1/seen')).resolves.toBe('1');
    expect(witness.statements).toEqual([
      'outer interceptor: no lock',
      'inner interceptor: cart:1',
      'pipe: cart:1',
      'handler: cart:1',
      'inner interceptor, after: cart:1',
      'outer interceptor, after: no lock',
    ]);
    await until(isFree);
  });

  it('is locked by @LockedHandler as well, in the place of the decorator among those of other interceptors', async () => {
    await expect(textOf('a:b/decorated')).resolves.toBe('a:b');
    expect(witness.statements).toEqual([
      'inner interceptor: no lock',
      'outer interceptor: cart:a%3Ab',
      'pipe: cart:a%3Ab',
      'handler: cart:a%3Ab',
      'outer interceptor, after: cart:a%3Ab',
      'inner interceptor, after: no lock',
    ]);
    await until(async () => !(await locks.getLock('cart:a%3Ab').isLocked()));
  });

  it('answers 400, and does not run, for a key with a missing value', async () => {
    const response = await get('no-id/unnamed');
    expect(response.status).toBe(400);
    await expect(response.json()).resolves.toMatchObject({ error: 'LOCK_NAME' });
    expect(witness.statements).toEqual([]);
  });

  it('serves one request for a key at a time', async () => {
    await Promise.all(Array.from({ length: 4 }, () => textOf('1/visit')));
    expect(served.app.get(ConcurrencyProbe).peak).toBe(1);
    await until(isFree);
  });

  it('may take several locks', async () => {
    await expect(textOf('1/several')).resolves.toBe('["cart:1","stock:b"]');
    await until(() => runtimeOf(served.app).grants.size === 0);
  });

  it('is locked until a slow response is complete', async () => {
    const response = await get('1/download');
    const reader = response.body?.getReader();
    await expect(reader?.read()).resolves.toMatchObject({ value: Buffer.from('first') });
    await isTaken();
    carts.download.end();
    await expect(reader?.read()).resolves.toMatchObject({ done: true });
    await until(isFree);
  });

  it('is locked until a response that it writes itself is complete', async () => {
    const response = await get('1/raw');
    await isTaken();
    carts.endRaw();
    await expect(response.text()).resolves.toBe('firstlast');
    await until(isFree);
  });

  it('is free again if the client disconnects during the response', async () => {
    const client = new AbortController();
    const response = await get('1/download', { signal: client.signal });
    await isTaken();
    client.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    await until(isFree);
  });

  it('stays locked if the client disconnects while the handler still runs', async () => {
    const client = new AbortController();
    const gone = get('1/busy', { signal: client.signal }).catch(() => 'gone');
    await carts.busy.reached;
    client.abort();
    await expect(gone).resolves.toBe('gone');
    await isTaken();
    carts.busy.open();
    await until(isFree);
  });

  it('is locked while a client listens to its events', async () => {
    const client = new AbortController();
    const response = await get('1/events', { signal: client.signal });
    await until(() => carts.events.observed);
    await isTaken();
    client.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    await until(isFree);
    expect(carts.events.observed).toBe(false);
  });

  it('lets its errors through, and is free again', async () => {
    const response = await get('1/fail');
    expect(response.status).toBe(409);
    await expect(response.json()).resolves.toMatchObject({ message: 'Sold out' });
    await until(isFree);
  });

  it('lets the errors of its pipes through, and is free again', async () => {
    const response = await get('unknown/seen');
    expect(response.status).toBe(400);
    await expect(response.json()).resolves.toMatchObject({ message: 'No such cart' });
    await until(() => runtimeOf(served.app).grants.size === 0);
  });

  it.each(['empty', 'nothing', 'none', 'number', 'numbers', 'tooLong', 'thrown'])(
    'answers 400, and does not run, for a key that is %s',
    async (id) => {
      const response = await get(`${id}/badly-named`);
      expect(response.status).toBe(400);
      await expect(response.json()).resolves.toEqual({
        statusCode: 400,
        error: 'LOCK_NAME',
        message: 'The request has a missing or invalid value',
      });
      expect(witness.statements).toEqual([]);
    },
  );

  it('answers 409 if another owner has the lock and one attempt is allowed', async () => {
    const hold = await locks.acquire('cart:1');
    const response = await get('1/impatient');
    expect(response.status).toBe(409);
    await expect(response.json()).resolves.toMatchObject({ statusCode: 409, error: 'LOCK_CONFLICT' });
    await hold.release();
    await expect(textOf('1/impatient')).resolves.toBe('got it');
  });

  it('is skipped, or answered by a function, with onConflict', async () => {
    const hold = await locks.acquire('cart:1');
    await expect(textOf('1/skipped')).resolves.toBe('');
    await expect(textOf('1/answered')).resolves.toBe('[[],"LockConflictError"]');
    await hold.release();
    await expect(textOf('1/skipped')).resolves.toBe('got it');
  });
});

describe('A handler behind lockHandler() over HTTP/2', () => {
  it('is locked until a slow response is complete', async () => {
    const http2 = (): FastifyAdapter => new FastifyAdapter({ http2: true } as object);
    const { app, url } = await serve(http2, { controllers: [CartController], providers: [ConcurrencyProbe, Witness] });
    const lock = app.get(LockService).getLock('cart:1');
    const client = connect(url);
    const response = client.request({ ':path': '/carts/1/download' });
    await once(response, 'data');
    await expect(lock.isLocked()).resolves.toBe(true);
    app.get(CartController).download.end();
    await once(response.resume(), 'end');
    await until(async () => !(await lock.isLocked()));
    client.close();
    await app.close();
  });
});

describe('@LockedHandler', () => {
  it('refuses what is no key, and wrong options, at the decorator', () => {
    expect(thrownBy(() => LockedHandler(7 as never), LockNameError).message).toBe(
      '@LockedHandler takes a key template or a key function, not 7',
    );
    expect(thrownBy(() => LockedHandler(() => 'cart', { leese: 1 } as never), LockOptionsError).message).toContain(
      'of @LockedHandler',
    );
  });
});

describe('lockHandler()', () => {
  it.each([undefined, 7, {}])('refuses %j instead of a key at the decorator', (key) => {
    expect(thrownBy(() => lockHandler(key as never), LockNameError).message).toContain(
      'lockHandler takes a key template or a key function',
    );
  });

  it.each([
    [{ wait: -1 }, 'wait'],
    [{ lease: 0 }, 'lease'],
    [{ onConflict: 'wait' }, 'onConflict'],
    [{ signal: new AbortController().signal }, 'signal'],
    [{ leese: 1 }, 'leese'],
  ])('refuses the options %j at the decorator', (options, name) => {
    expect(thrownBy(() => lockHandler(() => 'cart', options as never), LockOptionsError).message).toContain(name);
  });
});
