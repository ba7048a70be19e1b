import { Controller, Get, Injectable, Param, UseInterceptors } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { CurrentHold, currentHold, type Hold, Locked, lockHandler, LockService, type MultiHold } from 'nest-redis-lock';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { applicationBackends } from './application-backends.js';
import { adapters, serve } from './applications.js';

@Injectable()
class Orders {
  @Locked('order:<0>')
  async pay(_id: string, @CurrentHold() hold?: Hold): Promise<Hold | undefined> {
    return hold;
  }

  @Locked('stock:<0>')
  async several(_skus: readonly string[], _note?: string, @CurrentHold() hold?: Hold | MultiHold) {
    return hold;
  }

  @Locked('order:<0>', { returns: 'observable' })
  watch(_id: string, @CurrentHold() hold?: Hold): Observable<string | undefined> {
    return from([hold?.name]);
  }

  @Locked('order:<0>')
  async *stream(_id: string, @CurrentHold() hold?: Hold): AsyncGenerator<string | undefined> {
    yield hold?.name;
  }

  @Locked('order:<0>')
  async outer(id: string, @CurrentHold() hold?: Hold): Promise<readonly (string | undefined)[]> {
    return [hold?.name, (await this.several([id]))?.name, currentHold()?.name, currentHold(`order:${id}`)?.name];
  }

  async plain(@CurrentHold() hold?: Hold): Promise<Hold | undefined> {
    return hold;
  }
}

class LockedAgain extends Orders {
  @Locked('again:<0>')
  override async pay(_id: string, hold?: Hold): Promise<Hold | undefined> {
    return hold;
  }
}

@Controller('orders/:id')
class OrderController {
  @Get('handler')
  @UseInterceptors(lockHandler((context) => `order:${context.switchToHttp().getRequest().params.id}`))
  handler(@Param('id') id: string, @CurrentHold() hold?: Hold): string {
    return `${id}: ${hold?.name}, ${hold?.isHeld}`;
  }

  @Get('method')
  @Locked('order:<0>')
  async method(@Param('id') id: string, @CurrentHold() hold?: Hold): Promise<string> {
    return `${id}: ${hold?.name}, ${hold?.isHeld}`;
  }

  @Get('both')
  @UseInterceptors(lockHandler(() => 'outside'))
  @Locked('order:<0>')
  async both(@Param('id') id: string, @CurrentHold() hold?: Hold): Promise<string> {
    return `${id}: ${hold?.name}, ${currentHold('outside')?.isHeld}`;
  }

  @Get('free')
  free(@CurrentHold() hold?: Hold): string {
    return hold?.name ?? 'no hold';
  }
}

describe.each(applicationBackends)('@CurrentHold() %s', (_, open) => {
  const backend = open();
  let app: TestingModule;
  let orders: Orders;

  beforeAll(() => backend.open());
  afterAll(() => backend.close());

  beforeEach(async () => {
    app = await backend.application({ providers: [Orders, LockedAgain] });
    orders = app.get(Orders);
  });

  afterEach(() => app.close());

  it('is the hold of a method with @Locked, whatever its caller gives', async () => {
    const [hold, replaced] = [await orders.pay('7'), await orders.pay('8', {} as Hold)];
    expect([hold?.name, hold?.isReleased, replaced?.name]).toEqual(['order:7', true, 'order:8']);
  });

  it('is the hold of all locks of the call, also after missing arguments', async () => {
    expect((await orders.several(['b', 'a']))?.name).toBe('stock:a, stock:b');
  });

  it('is given to Observables and iterables', async () => {
    await expect(lastValueFrom(orders.watch('7'))).resolves.toBe('order:7');
    for await (const name of orders.stream('7')) expect(name).toBe('order:7');
  });

  it('is that of the innermost method, as is currentHold()', async () => {
    await expect(orders.outer('7')).resolves.toEqual(['order:7', 'stock:7', 'order:7', 'order:7']);
    expect(currentHold()).toBeUndefined();
  });

  it('is not given without a lock, nor to an override that does not ask for it', async () => {
    await expect(orders.plain()).resolves.toBeUndefined();
    await expect(app.get(LockedAgain).pay('7')).resolves.toBeUndefined();
  });

  it('is found by currentHold() in callbacks by hand', async () => {
    const locks = app.get(LockService);
    await locks.withLock('a', async (hold) => {
      expect(currentHold()).toBe(hold);
      expect(currentHold('a')).toBe(hold);
      expect(currentHold('b')).toBeUndefined();
    });
    const manual = await locks.acquire('a');
    expect(currentHold('a')).toBeUndefined();
    expect(manual.run(() => currentHold('a'))).toBe(manual);
    await manual.release();
  });
});

describe.each(adapters)('@CurrentHold() of a handler on %s', (_, adapter) => {
  it.each([
    ['handler', '7: order:7, true'],
    ['method', '7: order:7, true'],
    ['both', '7: order:7, true'],
    ['free', 'no hold'],
  ])('%s', async (path, text) => {
    const { app, url } = await serve(adapter, { controllers: [OrderController] });
    try {
      await expect(fetch(`${url}/orders/7/${path}`).then((response) => response.text())).resolves.toBe(text);
    } finally {
      await app.close();
    }
  });
});

it('@CurrentHold() is refused on a parameter of a constructor', () => {
  expect(() => CurrentHold()(Orders, undefined as never, 0)).toThrow(
    new TypeError('@CurrentHold can only be used on a parameter of a method'),
  );
});
