import {
  createLocks,
  LockOptionsError,
  type Locks,
  LockService,
  LockShutdownError,
  LockUnavailableError,
} from 'nest-redis-lock';
import { caught } from '../kit/caught.js';
import { until } from '../kit/until.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

/** Locks of scripts, workers and migrations. */
describe('createLocks()', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });

  beforeEach(() => {
    for (const write of ['log', 'warn', 'error'] as const) jest.spyOn(console, write).mockImplementation(() => {});
  });

  afterEach(() => jest.restoreAllMocks());

  afterAll(() => server.stop());

  describe.each([
    ['in memory', () => ({ connection: 'memory' }) as const],
    ['on Redis', () => ({ connection: server.url })],
  ])('%s', (_, options) => {
    it('makes a LockService that is closed at the end of its block', async () => {
      let escaped: Locks;
      {
        await using locks = await createLocks(options());
        expect(locks).toBeInstanceOf(LockService);
        await expect(locks.withLock('a', ({ name }) => name)).resolves.toBe('a');
        await expect(locks.getFairLock('b').withLock(() => 'fair')).resolves.toBe('fair');
        escaped = locks;
      }
      await expect(escaped.acquire('a')).rejects.toThrow(LockShutdownError);
    });

    it('lets holders finish, refuses new work and rejects waiters while it closes', async () => {
      const locks = await createLocks(options());
      const hold = await locks.acquire('a');
      const waiting = locks.acquire('a', { wait: Infinity });
      const [refused, closing] = [caught(waiting, LockShutdownError), locks.close()];
      await refused;
      await expect(locks.acquire('b')).rejects.toThrow(LockShutdownError);
      await expect(hold.release()).resolves.toBe('released');
      await closing;
      expect(locks.close()).toBe(locks.close());
    });

    it('aborts the signal of a holder that does not finish', async () => {
      const locks = await createLocks({ ...options(), shutdownTimeout: 200 });
      const { signal } = await locks.acquire('kept');
      await locks.close();
      expect(signal.reason).toBeInstanceOf(LockShutdownError);
    });
  });

  it('has named connections', async () => {
    await using locks = await createLocks({ connections: { default: server.url, billing: 'memory' } });
    const hold = await locks.acquire('n');
    await expect(locks.forConnection('billing').withLock('n', { wait: 0 }, () => 'another')).resolves.toBe('another');
    await hold.release();
  });

  it('leaves no connection behind, also after a refused start', async () => {
    const admin = connectAdmin(server.url);
    const open = async (): Promise<number> =>
      String(await admin.client('LIST')).split('name=nest-redis-lock').length - 1;
    const locks = await createLocks({ connection: server.url });
    expect(await open()).toBeGreaterThan(0);
    await locks.close();
    await until(async () => (await open()) === 0);
    const refused = createLocks({ connection: server.url.replace('redis://', 'redis://nobody:wrong@') });
    await caught(refused, LockUnavailableError);
    await until(async () => (await open()) === 0);
    admin.disconnect();
  });

  it('writes its lines to console, or to the logger that it is given', async () => {
    const [log, warn, error] = [jest.fn(), jest.fn(), jest.fn()];
    const connections = { default: 'memory', billing: 'memory' } as const;
    for (const logger of [undefined, { log, warn, error }]) {
      await using locks = await createLocks({ connections, logger });
      await locks.forConnection('billing').acquire('lost', { lease: 50 });
      await until(() => (logger === undefined ? jest.mocked(console.error) : error).mock.calls.length > 0);
    }
    const said = expect.stringMatching(/^\[nest-redis-lock:billing\] Lock "lost" was lost/);
    expect([jest.mocked(console.error).mock.calls, error.mock.calls]).toEqual([[[said]], [[said]]]);
  });

  it.each([null, 'console', { log: () => {}, warn: () => {} }])('refuses the logger %p', async (logger) => {
    const refused = createLocks({ connection: 'memory', logger: logger as never });
    await expect(refused).rejects.toMatchObject({
      name: 'LockOptionsError',
      message: expect.stringContaining('logger'),
    });
  });

  it('refuses options that make no sense before anything is sent', async () => {
    await expect(createLocks({ wait: 'soon' as '1s' })).rejects.toThrow(LockOptionsError);
    await expect(createLocks({ isGlobal: true } as object)).rejects.toThrow('isGlobal');
    await expect(createLocks(null as never)).rejects.toThrow(LockOptionsError);
  });
});
