import { Controller, type ExecutionContext, Get, Injectable, Logger, UseInterceptors } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import {
  lockHandler,
  Locked,
  type LockEvent,
  LockService,
  LockUnavailableError,
  type RedisLockOptions,
} from 'nest-redis-lock';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { adapters, runtimeOf, serve, start } from './applications.js';
import { until } from '../kit/until.js';

let finish: () => void = () => {};
let finished: Promise<void> = Promise.resolve();

@Injectable()
class Orders {
  @Locked('order:<0>', { lease: '3s' })
  async pay(_id: string): Promise<void> {
    await finished;
  }

  @Locked((id: string) => `order:${id}`)
  async ship(_id: string): Promise<void> {
    await finished;
  }

  @Locked('gateway', { permits: 1 })
  async charge(): Promise<void> {
    await finished;
  }
}

describe('A line of the log', () => {
  const lines: string[] = [];
  let clock: ManualClock;
  let app: TestingModule;
  let locks: LockService;
  let orders: Orders;
  const events: LockEvent[] = [];

  const open = async (options: RedisLockOptions = {}): Promise<void> => {
    clock = new ManualClock();
    app = await start({ providers: [Orders] }, { connection: 'memory', ...options }, clock);
    locks = app.get(LockService);
    orders = app.get(Orders);
    locks.onEvent((event) => events.push(event));
    // Lines of the start of the application do not matter here.
    lines.length = 0;
  };

  beforeEach(() => {
    events.length = 0;
    finished = new Promise((resolve) => (finish = resolve));
    for (const level of ['warn', 'error'] as const) {
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...[line]: unknown[]) => void lines.push(`${level} ${String(line)}`));
    }
  });

  afterEach(async () => {
    finish();
    const closed = app.close();
    await until(() => runtimeOf(app).shutdown.aborted);
    await clock.advance(10_000);
    await closed;
    jest.restoreAllMocks();
  });

  it('D37: about a lost lock names lock, method, process and time, and what to do', async () => {
    await open();
    const paying = orders.pay('1');
    await clock.advance(4000);
    expect(events).toMatchObject([
      { type: 'lost', lockName: 'order:1', method: '@Locked Orders.pay', heldFor: expect.any(Number) as number },
    ]);
    const { owner } = events[0] as LockEvent & { readonly type: 'lost' };
    expect(lines).toEqual([
      'error Lock "order:1" (order:<0>, @Locked Orders.pay) was lost by this process after 2.9 s: its lease ended before it was renewed ' +
        'or released. Others may get it while its work goes on; omit lease, so that the watchdog renews the hold, or ' +
        `make the lease longer than the work takes (owner ${owner})`,
    ]);
    finish();
    await paying;
  });

  it.each([
    [
      'is gone from Redis',
      async () => {
        await locks.getLock('order:1').forceRelease();
        await clock.advance(10_000);
      },
      'the server no longer has it',
      'check for forceRelease(), DEL or FLUSHDB by others',
    ],
    [
      'could not be renewed',
      async () => {
        jest.spyOn(runtimeOf(app).backend.lock, 'renew').mockRejectedValue(new Error('no Redis'));
        await clock.advance(30_000);
      },
      'its lease ended before it was renewed',
      'check for failed renewals, a blocked event loop or a suspended process, or raise renewedLease',
    ],
  ])('D37: about a lock that %s says what to do', async (_, lose, why, remedy) => {
    await open();
    const shipping = orders.ship('1');
    await clock.advance(0);
    await lose();
    const line = lines.find((text) => text.includes('was lost by this process'));
    expect(line).toMatch(/^error Lock "order:1" \(@Locked Orders\.ship\) was lost by this process after [\d.]+ m?s: /);
    expect(line).toContain(why);
    expect(line).toContain(remedy);
    finish();
    await shipping;
  });

  it('D37: about a failed renewal names the locks', async () => {
    await open();
    const names = Array.from({ length: 12 }, (_, index) => `order:${index}`);
    const holds = await Promise.all(names.map((name) => locks.acquire(name)));
    const failure = new LockUnavailableError('Redis did not answer', 'unknown', false);
    jest.spyOn(runtimeOf(app).backend.lock, 'renew').mockRejectedValueOnce(failure);
    await clock.advance(10_000);
    expect(events).toMatchObject([{ type: 'renewal-failed', holds: 12, error: failure }]);
    const [{ lockNames }] = events as [LockEvent & { readonly type: 'renewal-failed' }];
    expect(lockNames.toSorted()).toEqual(names.toSorted());
    const shown = lockNames.slice(0, 10).map((name) => `"${name}"`);
    expect(lines).toEqual([
      `warn This process could not renew 12 of its locks, ${shown.join(', ')}, 2 more: Redis did not answer. ` +
        'It tries again until their leases end; check the connection to Redis, or they are lost',
    ]);
    await Promise.all(holds.map((hold) => hold.release()));
  });

  it('D37: about a release that was not confirmed names lock, method and time', async () => {
    await open();
    const shipping = orders.ship('1');
    await clock.advance(1500);
    const failure = new LockUnavailableError('Redis did not answer', 'unknown', false);
    jest.spyOn(runtimeOf(app).backend.lock, 'release').mockRejectedValueOnce(failure);
    finish();
    await shipping;
    expect(lines[0]).toMatch(
      /^warn Lock "order:1" \(@Locked Orders\.ship\) was released by this process after 1\.5 s, but Redis did not confirm that: /,
    );
    expect(lines[0]).toContain('Redis did not answer. The release is tried again');
  });

  it('D37: at shutdown names what is held, by what, for how long, and how it ends', async () => {
    await open({ shutdownTimeout: '2s' });
    await locks.getSemaphore('gateway').trySetPermits(1);
    const [shipping, charging] = [orders.ship('1'), orders.charge()];
    await locks.acquire('order:2', { lease: '20s' });
    await clock.advance(500);
    const closed = app.close();
    await until(() => runtimeOf(app).shutdown.aborted);
    await clock.advance(5000);
    await closed;
    const [locked, withPermits] = lines;
    expect(locked).toMatch(
      /^warn This process still holds 2 lock\(s\) when shutdownTimeout of 2 s is over: "order:1" \(@Locked Orders\.ship, for 2\.\d s\), "order:2" \(for 2\.\d s\)\. /,
    );
    expect(locked).toMatch(
      /otherwise its lease ends it, in \d+(\.\d)? s at the latest; stop such work when hold\.signal aborts/,
    );
    expect(withPermits).toContain(
      'This process still uses permits of semaphores when shutdownTimeout of 2 s is over, in 1 call(s)',
    );
    expect(lines).toHaveLength(2);
    finish();
    await Promise.all([shipping, charging]);
  });
});

const cartOf = (context: ExecutionContext): string => `cart:${context.getHandler().name}`;

@Controller('carts')
class Carts {
  constructor(private readonly locks: LockService) {}

  @Get()
  @UseInterceptors(lockHandler(cartOf))
  async show(): Promise<string> {
    const lost = new Promise<LockEvent>((resolve) => void this.locks.onEvent(resolve));
    await this.locks.getLock('cart:show').forceRelease();
    const { method } = (await lost) as LockEvent & { readonly type: 'lost' };
    return String(method);
  }
}

describe.each(adapters)('An event of lockHandler on %s', (_, adapter) => {
  it('D37: names controller and handler', async () => {
    const options = { connection: 'memory', renewedLease: 150, probe: false } as const;
    const { app, url } = await serve(adapter, { controllers: [Carts] }, options);
    const text = await fetch(`${url}/carts`).then((response) => response.text());
    await app.close();
    expect(text).toBe('lockHandler Carts.show');
  });
});
