import { Test, type TestingModule } from '@nestjs/testing';
import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { LockOptionsError, LockService } from 'nest-redis-lock';
import { LockTestingModule } from 'nest-redis-lock/testing';
import { LockHealthIndicator, type LockHealthOptions } from 'nest-redis-lock/terminus';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { caught } from '../../kit/caught.js';
import { until } from '../../kit/until.js';
import { runtimeOf, start } from '../../nest/applications.js';
import { RedisServer } from '../../servers/redis/redis-server.js';
import { BlockableLoop } from '../../watchdog/blockable-loop.js';
import { checkLocks, startReady } from './ready-application.js';

const MEMORY = { connection: 'memory', shutdownTimeout: 1 } as const;

describe('A process', () => {
  it('is not ready from the moment when its shutdown begins, although it still holds locks and its server is up', async () => {
    await using server = await RedisServer.start();
    const app = await startReady({ connection: server.url, shutdownTimeout: '1m' });
    const hold = await app.get(LockService).acquire('a');
    await expect(checkLocks(app)).resolves.toMatchObject({ status: 'up' });
    const closed = app.close();
    await until(() => runtimeOf(app).shutdown.aborted);
    await expect(checkLocks(app)).resolves.toEqual({
      status: 'down',
      problems: ['The application is shutting down; no more locks are granted'],
    });
    expect(hold.isHeld).toBe(true);
    await hold.release();
    await closed;
  });

  it('is not ready if its shutdown began while a server was asked', async () => {
    await using server = await RedisServer.start();
    const app = await startReady({ connection: server.url, probe: false });
    await app.get(LockService).withLock('a', () => undefined);
    server.pause();
    const checked = checkLocks(app, { timeout: '100ms' });
    const closed = app.close();
    await expect(checked).resolves.toMatchObject({ status: 'down', problems: [/shutting down/] });
    server.resume();
    await closed;
  });

  it('still grants locks while Terminus waits for load balancers to notice the shutdown', async () => {
    const wait = 300;
    const imports = [TerminusModule.forRoot({ logger: false, gracefulShutdownTimeoutMs: wait })];
    const app = await start({ imports, providers: [LockHealthIndicator] });
    const begin = performance.now();
    const drained = new Promise<number>((resolve) => {
      runtimeOf(app).shutdown.addEventListener('abort', () => resolve(performance.now()));
    });
    await app.close('SIGTERM');
    // A timer may be a millisecond early.
    expect((await drained) - begin).toBeGreaterThan(wait - 2);
  });

  it('is degraded while it renews its locks late', async () => {
    const loop = new BlockableLoop();
    const app = await startReady(MEMORY, loop);
    const hold = await app.get(LockService).acquire('a');
    loop.block(15_200);
    await expect(checkLocks(app, { maxLag: 5300 })).resolves.toMatchObject({ status: 'up' });
    await expect(checkLocks(app, { maxLag: '5s' })).resolves.toMatchObject({
      status: 'degraded',
      problems: ['Locks were renewed 5.2 s late; check for synchronous work that blocks the event loop'],
      connections: { default: { watchdogLag: 5200 } },
    });
    await loop.pass(10_000);
    await expect(checkLocks(app)).resolves.toMatchObject({ status: 'up' });
    await hold.release();
    await app.close();
  });

  it('is degraded for five minutes after it lost locks, and does not name them', async () => {
    const clock = new ManualClock();
    const app = await startReady(MEMORY, clock);
    const locks = app.get(LockService);
    for (const name of ['user:jane@example.org', 'user:joe@example.org']) {
      await locks.acquire(name);
      await locks.getLock(name).forceRelease();
    }
    await clock.advance(10_000);
    const found = await checkLocks(app);
    expect(found).toMatchObject({
      status: 'degraded',
      problems: ['2 hold(s) were lost in the last 5 minutes; the log names them'],
      connections: { default: { recentLosses: 2 } },
    });
    expect(JSON.stringify(found)).not.toContain('example.org');
    await clock.advance(300_000);
    await expect(checkLocks(app)).resolves.toMatchObject({ status: 'up', problems: [] });
    await app.close();
  });

  it('is up with Terminus 11, which knows no degraded, and says what the problem is', async () => {
    const clock = new ManualClock();
    const service = {
      check: (key: string) => ({
        up: (data: object) => ({ [key]: { status: 'up', ...data } }),
        down: (data: object) => ({ [key]: { status: 'down', ...data } }),
      }),
    };
    const providers = [LockHealthIndicator, { provide: HealthIndicatorService, useValue: service }];
    const app = await start({ providers }, MEMORY, clock);
    await app.get(LockService).acquire('a');
    await app.get(LockService).getLock('a').forceRelease();
    await clock.advance(10_000);
    await expect(checkLocks(app)).resolves.toMatchObject({
      status: 'up',
      problems: ['1 hold(s) were lost in the last 5 minutes; the log names them'],
      connections: { default: { state: 'degraded' } },
    });
    await expect(checkLocks(app, { degradedIsDown: true })).resolves.toMatchObject({ status: 'down' });
    await app.close();
  });
});

it('The indicator works with the locks of nest-redis-lock/testing', async () => {
  const imports = [
    LockTestingModule.forRoot({ connections: { default: 'redis://a', billing: 'redis://b' } }),
    TerminusModule,
  ];
  const app = await Test.createTestingModule({ imports, providers: [LockHealthIndicator] }).compile();
  await app.init();
  const { status, connections } = await checkLocks(app);
  expect([status, Object.keys(connections)]).toEqual(['up', ['default', 'billing']]);
  await app.close();
});

describe('The options of a health check', () => {
  let app: TestingModule;

  beforeAll(async () => {
    app = await startReady({ connections: { default: 'memory', billing: 'memory' } });
  });

  afterAll(() => app.close());

  it.each<[unknown, string]>([
    [{ connections: ['biling'] }, 'connection must be "default" or "billing", not "biling"'],
    [{ connections: [] }, "connections must be a list of names, such as ['billing'], not array []"],
    [{ connections: 'billing' }, 'connections must be a list of names, such as [\'billing\'], not "billing"'],
    [{ timeout: 0 }, 'timeout must be an integer number of milliseconds from 1'],
    [{ maxLag: '5 s' }, 'maxLag must be an integer number of milliseconds from 1'],
    [{ degradedIsDown: 'yes' }, 'degradedIsDown must be true or false, not "yes"'],
    [{ maxlag: 5 }, 'unknown option "maxlag" of isHealthy; did you mean "maxLag"?'],
    [null, 'options of isHealthy must be an object, not null'],
  ])('are refused if they are %j', async (options, expected) => {
    const { message } = await caught(checkLocks(app, options as LockHealthOptions), LockOptionsError);
    expect(message).toContain(expected);
  });
});
