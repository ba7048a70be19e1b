import { inspect } from 'node:util';
import type { Redis } from 'ioredis';
import {
  createLocks,
  LockConflictError,
  type LockError,
  LockOptionsError,
  type RedisLockOptions,
} from 'nest-redis-lock';
import { RedisServer, type RedisServerOptions } from '../servers/redis/redis-server.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { MASTER_NAME } from '../servers/sentinel/sentinel-servers.js';
import { until } from '../kit/until.js';

let server: RedisServer;
let admin: Redis;
let said: string[] = [];

const say = (line: string): number => said.push(line);
const logger = { log: say, warn: say, error: say };

/** Starts, and resolves with the error that refused the start; `undefined`: none. Closes what has started. */
const start = async (options: RedisLockOptions): Promise<LockError | undefined> => {
  try {
    const locks = await createLocks({ keyPrefix: 'shop:', commandTimeout: '2s', ...options, logger });
    await locks.close();
    return undefined;
  } catch (error) {
    return error as LockError;
  }
};

beforeAll(async () => {
  server = await RedisServer.start();
  admin = connectAdmin(server.url);
});

beforeEach(() => {
  said = [];
});

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

const at = (user: string): string => server.url.replace('//', `//${user}@`);

/** Runs `work` with a server of its own. */
const withServer = async (options: RedisServerOptions, work: (url: string) => Promise<void>): Promise<void> => {
  const other = await RedisServer.start(options);
  try {
    await work(other.url);
  } finally {
    await other.stop();
  }
};

describe('D54: What the start says of a server that cannot be used', () => {
  const ADVICE = "set probe: 'warn'";

  it('gives no advice with which nothing could be locked either', async () => {
    await admin.acl('SETUSER', 'poor', 'on', '>pw', '~*', '+get', '+ping', '+select');
    const missing = `${server.url}/99`;
    await withServer({ args: ['--replicaof', `127.0.0.1 ${server.port}`] }, async (replica) => {
      for (const [connection, reason] of [
        [at('poor:no'), 'it refuses the password of user "poor"'],
        [at('poor:pw'), 'its user lacks the rights'],
        [missing, 'it has no database 99'],
        [replica, 'it is a replica of'],
      ] as const) {
        const error = await start({ connection });
        expect(error?.message).toContain(reason);
        expect(error?.message).not.toContain(ADVICE);
        // With it: not the advice to set what is set, and no line that locks exclude each other there.
        said = [];
        await start({ connection, probe: 'warn', commandTimeout: '500ms' });
        expect(said.join('\n')).toContain(reason);
        expect(said.join('\n')).not.toMatch(/set probe: 'warn'|locks exclude each other/);
      }
    });
  });

  it('gives the advice where locks work, and could be granted twice', async () => {
    await admin.config('SET', 'maxmemory', '1gb', 'maxmemory-policy', 'allkeys-lru');
    const error = await start({ connection: server.url });
    await admin.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
    expect(error?.message).toContain(`To lock anyway, ${ADVICE}`);
  });

  it("names a Sentinel where its port is given as a server's, with and without a probe", async () => {
    const config = `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${server.port} 1\n`;
    await withServer({ config, args: ['--sentinel'] }, async (connection) => {
      expect((await start({ connection }))?.message).toMatch(
        /: it is a Sentinel, which stores nothing; give \{ sentinels: \[\{ host, port \}\], name: '[^']+' \}$/,
      );
      await using locks = await createLocks({ connection, probe: false, commandTimeout: '500ms' });
      const error = await locks.tryAcquire('a').catch((refused: unknown) => refused);
      expect(String(error)).toMatch(/does not know TIME; if it is a Sentinel, give \{ sentinels:/);
    });
  });

  it('says that the ports of Sentinels lead to Redis', async () => {
    const sentinels = [{ host: server.host, port: server.port }];
    await using locks = await createLocks({ connection: { sentinels, name: 'shop' }, probe: false, logger });
    await until(() => said.length > 0);
    expect(said[0]).toContain('give the ports of the Sentinels, such as 26379, and not of Redis');
    await locks.close();
  });

  it('warns that nothing is locked while a server has fewer replicas than it asks for', async () => {
    await withServer({ args: ['--min-replicas-to-write', '1'] }, async (connection) => {
      await expect(start({ connection })).resolves.toBeUndefined();
      expect(said).toEqual([
        expect.stringMatching(/refuses writes now \(NOREPLICAS\): no lock is granted until as many replicas follow/),
      ]);
    });
  });

  it.each([true, {}])('says that a server has no TLS, with tls: %j', async (tls) => {
    await start({ connection: { host: server.host, port: server.port, tls }, commandTimeout: '300ms' });
    expect(said[0]).toContain('if it runs without TLS give redis://');
  });

  it('prints no lock with an error that has none', async () => {
    const error = await start({ connection: { host: 'undefined' } });
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(inspect(error)).not.toMatch(/lockName|template/);
    expect(inspect(new LockConflictError('busy', { lockName: 'a' }))).toContain("lockName: 'a'");
  });

  it('names no page that is not in the package', async () => {
    await admin.acl('SETUSER', 'timeless', 'on', '>pw', 'allkeys', 'allchannels', '+@all', '-time');
    await using locks = await createLocks({ connection: at('timeless:pw'), probe: false, commandTimeout: '500ms' });
    const error = await locks.tryAcquire('a').catch((refused: unknown) => refused);
    expect(String(error)).toMatch(/lacks a right \(NOPERM [^:]*\); grant it; npx nest-redis-lock doctor prints all/);
  });
});
