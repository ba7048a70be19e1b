import { inspect } from 'node:util';
import { Controller, Injectable, Scope, UseInterceptors } from '@nestjs/common';
import { Redis } from 'ioredis';
import {
  Locked,
  lockHandler,
  LockOptionsError,
  LockService,
  LockShutdownError,
  RedisLockModule,
  type RedisLockOptions,
} from 'nest-redis-lock';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { caught, thrownBy } from '../kit/caught.js';
import { compile, runtimeOf, start } from './applications.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';
import { until } from '../kit/until.js';

const refusal = (options: unknown): LockOptionsError =>
  thrownBy(() => parseModuleOptions(options as RedisLockOptions), LockOptionsError);

const MEMORY = { connections: { default: 'memory', billing: 'memory' } } as const;

describe('The option connections', () => {
  const url = 'redis://:s3cret@127.0.0.1:1';

  it.each([
    ['beside connection', { connection: url, connections: { default: url } }, 'connection cannot be combined with'],
    ['beside memory', { connection: 'memory', connections: { default: url } }, 'connection cannot be combined with'],
    ['of none', { connections: {} }, 'connections must name at least one'],
    ['as a URL', { connections: url }, 'connections must be an object such as'],
    ['as a list', { connections: [url] }, 'connections must be an object such as'],
    ['as nothing', { connections: null }, 'connections must be an object such as'],
    ['with a nameless one', { connections: { '': url } }, 'connections must have names'],
    ['with a URL for a name', { connections: { [url]: url } }, 'connections must have names'],
  ])('is refused %s, without a word of a password', (_, options, why) => {
    const error = refusal(options);
    expect(error.message).toContain(why);
    expect(error.details).toEqual({ option: 'connections' });
    expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
  });

  it('is refused as a client', () => {
    const client = new Redis({ lazyConnect: true, password: 's3cret' });
    expect(inspect(refusal({ connections: client }), { depth: 9 })).not.toContain('s3cret');
    client.disconnect();
  });

  it.each([
    ['that is missing', undefined],
    ['that is no URL', 'http://:s3cret@127.0.0.1'],
    ['with options of another library', { url }],
    ['to a cluster of no servers', { cluster: [] }],
  ])('is refused with one %s, which is named', (_, billing) => {
    const error = refusal({ connections: { default: url, billing } });
    expect(error.message).toMatch(/^connections\["billing"\] is refused: connection (must be|has) /);
    expect(error.details).toEqual({ option: 'connections["billing"]' });
    expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
  });

  it('is read into one connection each', () => {
    const client = new Redis({ lazyConnect: true, keyPrefix: 'mine:' });
    const { target, keyPrefix, others } = parseModuleOptions({
      connections: { billing: client, default: url, cart: 'memory' },
    });
    expect({ target, keyPrefix }).toMatchObject({
      target: { kind: 'redis', servers: { options: { password: 's3cret' } } },
      keyPrefix: '',
    });
    expect([...others]).toMatchObject([
      ['billing', { target: { servers: { options: client.options } }, keyPrefix: 'mine:', isPrefixChosen: true }],
      ['cart', { target: { kind: 'memory' }, keyPrefix: '', isPrefixChosen: false }],
    ]);
    client.disconnect();
  });
});

@Injectable()
class Bills {
  constructor(readonly probe: ConcurrencyProbe) {}

  @Locked('bill:<0>', { connection: 'billing' })
  async send(id: string): Promise<string> {
    return this.probe.enter(id);
  }
}

describe('An application that starts', () => {
  const without = { connections: { default: 'memory' } } as const;
  const why = '@Locked Bills.send cannot be locked: connection must be "default", not "billing"';

  @Injectable()
  class MoreBills extends Bills {}

  @Injectable({ scope: Scope.REQUEST })
  class RequestBills extends Bills {}

  @Controller()
  class BillsController extends Bills {}

  @Controller()
  class HandlerController {
    @UseInterceptors(lockHandler(() => 'bill', { connection: 'billing' }))
    send(): void {}
  }

  it.each([
    ['a provider', { providers: [ConcurrencyProbe, Bills] }, why],
    ['one that inherits', { providers: [ConcurrencyProbe, MoreBills] }, why],
    ['one for each request', { providers: [ConcurrencyProbe, RequestBills] }, why],
    [
      'one from a factory',
      { providers: [{ provide: 'bills', useFactory: () => new Bills(new ConcurrencyProbe()) }] },
      why,
    ],
    ['a controller', { providers: [ConcurrencyProbe], controllers: [BillsController] }, why],
    [
      'an interceptor',
      { controllers: [HandlerController] },
      'lockHandler cannot be locked: connection must be "default", not "billing"',
    ],
  ])('refuses %s that locks on an unknown connection', async (_, metadata, message) => {
    const module = await compile(metadata, without);
    const error = await caught(module.createNestApplication({ logger: false }).init(), LockOptionsError);
    expect(error.message).toBe(message);
    expect(error.details).toEqual({ option: 'connection', value: 'billing' });
  });

  it('leaves the check to the call with several modules', async () => {
    const own = { ...without, isGlobal: false };
    const module = await compile(
      {
        providers: [ConcurrencyProbe, Bills],
        imports: [RedisLockModule.forRoot({ connection: 'memory', isGlobal: false })],
      },
      own,
    );
    await module.init();
    const error = await caught(module.get(Bills).send('1'), LockOptionsError);
    expect(error.message).toBe('connection must be "default", not "billing"');
    expect(module.get(ConcurrencyProbe).entered).toEqual([]);
    await module.close();
  });
});

describe('Connections without a default one', () => {
  const onlyNamed = { connections: { billing: 'memory', cart: 'memory' } } as const;
  const why = 'No connection "default" is listed in connections; name the one to lock on: "billing" or "cart"';

  @Injectable()
  class Unnamed {
    @Locked('a')
    async run(): Promise<void> {}
  }

  it('serve locks that name one', async () => {
    const app = await start({ providers: [ConcurrencyProbe, Bills] }, onlyNamed);
    const locks = app.get(LockService);
    await expect(app.get(Bills).send('1')).resolves.toBe('1');
    await expect(locks.withLock('a', { connection: 'cart' }, () => 'done')).resolves.toBe('done');
    const both = locks.getMultiLock(...['billing', 'cart'].map((name) => locks.forConnection(name).getLock('a')));
    await expect(both.withLock(({ members }) => members.length)).resolves.toBe(2);
    await app.close();
  });

  it('refuse locks that name none, and "default"', async () => {
    const app = await start({}, onlyNamed);
    const locks = app.get(LockService);
    const attempts = [
      locks.withLock('a', () => 'ran'),
      locks.tryAcquire('a', { fair: true }),
      locks.getReadWriteLock('a').writeLock().acquire(),
      locks.getSemaphore('a').tryAcquire(),
      locks.getMultiLock('a', locks.forConnection('cart').getLock('a')).acquire(),
      locks.getLock('a').isLocked(),
    ];
    const errors = await Promise.all(attempts.map((attempt) => caught(attempt, LockOptionsError)));
    expect(errors.map(({ message }) => message)).toEqual(attempts.map(() => why));
    await expect(locks.forConnection('cart').getLock('a').isLocked()).resolves.toBe(false);
    expect(() => locks.forConnection('default')).toThrow('connection must be "billing" or "cart", not "default"');
    await app.close();
  });

  it('do not start with methods that name none', async () => {
    const module = await compile({ providers: [Unnamed] }, onlyNamed);
    const error = await caught(module.init(), LockOptionsError);
    expect(error.message).toBe(`@Locked Unnamed.run cannot be locked: ${why}`);
  });
});

describe('Connections in memory', () => {
  it('share one shutdown time-out: signals abort at one instant, and holders are given up at one', async () => {
    const clock = new ManualClock();
    const app = await start({}, { ...MEMORY, shutdownTimeout: 2000 }, clock);
    const locks = app.get(LockService);
    const holds = [await locks.acquire('a'), await locks.acquire('a', { connection: 'billing' })];
    const told = (): boolean[] => holds.map(({ signal }) => signal.aborted);
    let isClosed = false;
    const closed = app.close().then(() => (isClosed = true));
    await until(() => runtimeOf(app, 'billing').shutdown.aborted);
    await clock.advance(1199);
    expect(told()).toEqual([false, false]);
    await clock.advance(1);
    expect(told()).toEqual([true, true]);
    expect(holds.map(({ signal }) => signal.reason as unknown)).toEqual(holds.map(() => expect.any(LockShutdownError)));
    await clock.advance(399);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closed;
    // The holds are no longer renewed.
    await clock.advance(30_000);
    expect(clock.pending).toBe(0);
  });
});
