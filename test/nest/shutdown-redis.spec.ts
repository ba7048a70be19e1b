import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { LockService, LockShutdownError, LockUnavailableError } from 'nest-redis-lock';
import { RedisServer } from '../servers/redis/redis-server.js';
import { Worker } from '../servers/worker/worker.js';
import { runtimeOf, start } from './applications.js';
import { caught } from '../kit/caught.js';
import type { api } from './fixtures/terminated.worker.js';
import { until } from '../kit/until.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

let server: RedisServer;
let raw: Redis;

const connections = async (): Promise<number> =>
  String(await raw.client('LIST')).split('name=nest-redis-lock').length - 1;

beforeAll(async () => {
  server = await RedisServer.start();
  raw = connectAdmin(server.url);
});

beforeEach(() => raw.flushall());

afterAll(async () => {
  raw.disconnect();
  await server.stop();
});

describe('An application on Redis that has shut down', () => {
  it('has rejected its waiters, with no subscription and no connection left', async () => {
    const app = await start({}, { connection: server.url });
    const locks = app.get(LockService);
    const hold = await locks.acquire('a');
    const waiting = caught(locks.acquire('a', { wait: Number.POSITIVE_INFINITY }), LockShutdownError);
    const channels = (): Promise<unknown[]> => raw.pubsub('CHANNELS');
    await until(async () => (await channels()).length === 3);
    const closed = app.close();
    await waiting;
    await expect(hold.release()).resolves.toBe('released');
    await closed;
    await until(async () => (await connections()) === 0);
    await expect(channels()).resolves.toEqual([]);
    await expect(raw.keys('*')).resolves.toEqual([]);
  });

  it('has not released held locks, but aborted the signal of the holder', async () => {
    const app = await start({}, { connection: server.url, shutdownTimeout: 20 });
    const hold = await app.get(LockService).acquire('a');
    await app.close();
    expect(hold.signal.reason).toBeInstanceOf(LockShutdownError);
    await expect(raw.hgetall('a')).resolves.toEqual({ [hold.owner]: '1' });
    await expect(raw.pttl('a')).resolves.toBeGreaterThan(0);
    expect(runtimeOf(app).grants.size).toBe(1);
    await until(async () => (await connections()) === 0);
    await caught(hold.release(), LockUnavailableError);
  });

  it('closes although Redis is down', async () => {
    await using gone = await RedisServer.start();
    const app = await start({}, { connection: gone.url, shutdownTimeout: 20, commandTimeout: 50 });
    const locks = app.get(LockService);
    await locks.acquire('a');
    const waiting = caught(locks.acquire('a'), LockShutdownError);
    await until(() => runtimeOf(app).acquirer.contended === 1);
    await gone.kill9();
    await expect(app.close()).resolves.toBeUndefined();
    await waiting;
  });
});

describe('A process', () => {
  const run = promisify(execFile);
  const register = fileURLToPath(new URL('../servers/register.cjs', import.meta.url));
  const program = fileURLToPath(new URL('./fixtures/ends-by-itself.ts', import.meta.url));

  it.each([
    ['in memory', () => []],
    ['on Redis', () => [server.url]],
  ])('ends by itself when its application with locks %s has closed', async (_, args) => {
    // A remaining timer or socket would keep the process alive, and then `timeout` ends it with an error.
    const { stdout } = await run(process.execPath, [register, program, ...args()], { timeout: 12_000 });
    expect(stdout).toBe('closed');
  });

  it('that is terminated finishes work in time, and leaves the rest to its lease', async () => {
    const worker = await Worker.start<typeof api>(new URL('./fixtures/terminated.worker.ts', import.meta.url));
    await worker.call('start', server.url);
    await expect(raw.keys('*').then((keys) => keys.toSorted())).resolves.toEqual(['finishes', 'never finishes']);
    worker.kill('SIGTERM');
    await expect(worker.exited).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    await expect(raw.keys('*')).resolves.toEqual(['never finishes']);
    await expect(raw.pttl('never finishes')).resolves.toBeGreaterThan(0);
  });
});
