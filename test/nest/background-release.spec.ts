import { Injectable } from '@nestjs/common';
import { Locked, LockedHandler, LockOptionsError, LockService, type RedisLockOptions } from 'nest-redis-lock';
import { lastValueFrom, Observable, of } from 'rxjs';
import { thrownBy } from '../kit/caught.js';
import { until } from '../kit/until.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { start } from './applications.js';

const BACKGROUND = { release: 'background' } as const;

@Injectable()
class Orders {
  @Locked('order:<0>', BACKGROUND)
  async pay(id: string): Promise<string> {
    return `paid ${id}`;
  }

  @Locked('order:<0>')
  async ship(id: string): Promise<string> {
    return `shipped ${id}`;
  }

  @Locked(([first, second]: readonly string[]) => [String(first), String(second)], BACKGROUND)
  async merge(orders: readonly string[]): Promise<number> {
    return orders.length;
  }

  @Locked('order:<0>', BACKGROUND)
  track(id: string): Observable<string> {
    return of(`tracked ${id}`);
  }

  @Locked('printer', { permits: 1, ...BACKGROUND })
  async print(id: string): Promise<string> {
    return `printed ${id}`;
  }

  @Locked('export', { limit: 1, ...BACKGROUND })
  async export(id: string): Promise<string> {
    return `exported ${id}`;
  }

  @Locked('failing', BACKGROUND)
  async fail(): Promise<void> {
    throw new Error('no paper');
  }
}

describe('@Locked with a release in the background', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  const open = async (options: RedisLockOptions = {}) => {
    const app = await start({ providers: [Orders] }, { connection: server.url, ...options });
    const locks = app.get(LockService);
    await locks.getSemaphore('printer').trySetPermits(1);
    let released = 0;
    locks.onEvent(['released'], () => void (released += 1));
    return { app, orders: app.get(Orders), releases: () => released };
  };

  it.each<[string, (orders: Orders) => Promise<unknown>, number]>([
    ['a promise', (orders) => orders.pay('7'), 1],
    ['a list of locks', (orders) => orders.merge(['a', 'b']), 2],
    ['an Observable', (orders) => lastValueFrom(orders.track('7')), 1],
    ['a permit of a semaphore', (orders) => orders.print('7'), 1],
    ['a permit of a limit', (orders) => orders.export('7'), 1],
    ['a method that fails', (orders) => orders.fail().catch(String), 1],
  ])('does not wait for it: %s', async (_, call, count) => {
    const { app, orders, releases } = await open();
    for (let round = 0; round < 3; round += 1) {
      const before = releases();
      await call(orders);
      expect(releases()).toBe(before);
      await until(() => releases() === before + count);
    }
    await app.close();
  });

  it('is the choice of the module for methods that say nothing', async () => {
    const { app, orders, releases } = await open(BACKGROUND);
    await orders.ship('7');
    expect(releases()).toBe(0);
    await until(() => releases() === 1);
    await app.close();
  });

  it('is over when the application has closed', async () => {
    const { app, orders, releases } = await open();
    await orders.pay('7');
    await app.close();
    expect(releases()).toBe(1);
  });

  it.each(['later', true, null])('refuses %p where it is declared', (release) => {
    const options = { release } as never;
    for (const decorate of [() => Locked('n', options), () => LockedHandler(() => 'n', options)]) {
      expect(thrownBy(decorate, LockOptionsError).message).toMatch(/^release must be "confirmed" or "background"/);
    }
  });
});
