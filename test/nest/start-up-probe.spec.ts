import 'redis'; // In jest it takes longer to load than a first connection may take.
import { Logger } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import type { Redis } from 'ioredis';
import {
  type LockError,
  LockService,
  LockUnavailableError,
  LockUnsafeError,
  type RedisLockOptions,
} from 'nest-redis-lock';
import { Certificates } from '../servers/redis/certificates.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { freePort } from '../servers/process/free-port.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { compile } from './applications.js';
import { caught } from '../kit/caught.js';
import { chosenDriver } from '../servers/chosen-driver.cjs';
import { until } from '../kit/until.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

let server: RedisServer;
let admin: Redis;
const started: TestingModule[] = [];
let said: string[] = [];

const logger = {
  log: (line: string) => said.push(`log ${line}`),
  warn: (line: string) => said.push(`warn ${line}`),
  error: (line: string) => said.push(`error ${line}`),
};

const start = async (options: RedisLockOptions): Promise<LockService> => {
  const module = await compile({}, { keyPrefix: '', ...options });
  Logger.overrideLogger(logger);
  await module.init();
  started.push(module);
  return module.get(LockService);
};

/** Closes all applications, which has to happen before their servers end. */
const closeAll = async (): Promise<void> => {
  await Promise.all(started.splice(0).map((module) => module.close()));
};

/** Waits until a request for a lock is refused, and resolves with the error. */
const refusal = async (locks: LockService): Promise<LockError> => {
  let refused: unknown;
  await until(async () => {
    // The server may be found unsafe between a grant and its release. Then the release is refused.
    refused = await locks
      .tryAcquire('order:1')
      .then(async (hold) => hold?.release())
      .catch((error: unknown) => error);
    return refused instanceof LockUnsafeError;
  });
  return refused as LockError;
};

beforeAll(async () => {
  server = await RedisServer.start();
  admin = connectAdmin(server.url);
});

beforeEach(async () => {
  said = [];
  await admin.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
});

afterEach(async () => {
  await closeAll();
  Logger.overrideLogger(false);
  await expect(admin.keys('*')).resolves.toEqual([]);
  // The server needs a moment to notice closed connections.
  await until(async () => !String(await admin.client('LIST')).includes('nest-redis-lock'));
});

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

const keysOn = async (url: string): Promise<readonly string[]> => {
  const client = connectAdmin(url);
  try {
    return await client.keys('*');
  } finally {
    client.disconnect();
  }
};

/** F18: sets an eviction policy that may evict locks. */
const evicting = () => admin.config('SET', 'maxmemory', '1gb', 'maxmemory-policy', 'volatile-ttl');

describe('When an application starts', () => {
  it('one line says what is guaranteed', async () => {
    const locks = await start({ connection: server.url });
    expect(said).toEqual([
      `log Redis ${/redis_version:(\S+)/.exec(await admin.info('server'))?.[1]}, one server at 127.0.0.1:${server.port}, by ${chosenDriver ?? 'ioredis'}: ` +
        'locks exclude each other as long as their server keeps its data; a crash loses all locks (no AOF); no replicas; ' +
        'no restart guard; no memory limit; messages by PUBLISH; all rights',
    ]);
    await expect(locks.withLock('order:1', () => 'done')).resolves.toBe('done');
  });

  it('one line says which client library makes the connections', async () => {
    const chosen = [{}, { driver: 'ioredis' }, { driver: 'node-redis' }] as const;
    for (const options of chosen) await start({ connection: server.url, ...options });
    const names = said.map((line) => /, by (\S+): /.exec(line)?.[1]);
    expect(names).toEqual([chosenDriver ?? 'ioredis', 'ioredis', 'node-redis']);
  });

  it('D9: a missing key prefix is warned of, unless it is empty on purpose', async () => {
    await start({ connection: server.url, keyPrefix: undefined });
    expect(said).toEqual([
      expect.stringMatching(/^warn Redis .*; no keyPrefix is set, so a lock may have the same key/),
    ]);
    for (const options of [
      { connection: server.url, keyPrefix: 'lock:' },
      { connection: server.url, keyPrefix: '' },
      { connection: { host: server.host, port: server.port, keyPrefix: 'lock:' }, keyPrefix: undefined },
    ]) {
      said = [];
      await start(options);
      expect(said).toEqual([expect.stringMatching(/^log Redis .*all rights$/)]);
    }
  });

  it('F18 an eviction policy refuses the start, and leaves nothing behind', async () => {
    await evicting();
    const error = await caught(start({ connection: server.url }), LockUnsafeError);
    expect(error.code).toBe('LOCK_UNSAFE');
    expect(error.message).toContain('maxmemory-policy volatile-ttl');
    expect(error.details).toEqual({
      reasons: [expect.stringMatching(/^127.0.0.1:\d+: .*; set maxmemory-policy to noeviction/)],
    });
  });

  it("F18 an eviction policy is only reported with probe: 'warn'", async () => {
    await evicting();
    const { message } = await caught(start({ connection: server.url }), LockUnsafeError);
    said = [];
    const locks = await start({ connection: server.url, probe: 'warn' });
    // D54: not the advice to set what is set.
    const reason = message.replace(". To lock anyway, set probe: 'warn'", '');
    expect(said).toEqual([`warn ${reason}`, expect.stringContaining('log Redis')]);
    await expect(locks.withLock('order:1', () => 'done')).resolves.toBe('done');
  });

  it('F18 nothing is checked with probe: false', async () => {
    await evicting();
    await admin.config('RESETSTAT');
    const locks = await start({ connection: server.url, probe: false });
    await expect(locks.withLock('order:1', () => 'done')).resolves.toBe('done');
    expect(said).toEqual([]);
    expect(await admin.info('commandstats')).not.toMatch(/cmdstat_(subscribe|persist|zadd)/);
  });

  it('one server given as a cluster refuses the start', async () => {
    const { message } = await caught(start({ connection: { cluster: [server.url] } }), LockUnsafeError);
    expect(message).toContain('it is not part of a cluster; give it as one server');
  });

  it('no password is shown', async () => {
    await admin.acl('SETUSER', 'locker', 'reset', 'on', '>secret', '~*', '&*', '+@all', '-hget');
    const url = server.url.replace('//', '//locker:secret@');
    const { message } = await caught(start({ connection: url }), LockUnsafeError);
    expect(message).toContain('lacks the rights +hget;');
    expect(message + said.join('\n')).not.toMatch(/locker|secret/);
  });

  it('too few replicas are warned of', async () => {
    await start({ connection: server.url, replicas: { min: 1 } });
    expect(said).toEqual([
      expect.stringMatching(/^warn .*1 replica\(s\) must have each lock and 0 follow\(s\) it now/),
    ]);
  });

  it('F41 certificates that are not verified are warned of, once', async () => {
    using certificates = await Certificates.make();
    await using secure = await RedisServer.start({ tls: { certificates, identity: 'anotherAuthority' } });
    const tls = { ...certificates.credentials(), rejectUnauthorized: false };
    await start({ connection: { host: secure.host, port: secure.port, tls } });
    expect(said).toEqual([expect.stringMatching(/^warn Redis .*the certificate is not verified/)]);
    await closeAll();
  });

  it('each connection is checked', async () => {
    await using other = await RedisServer.start();
    await start({ connections: { default: server.url, billing: other.url, memory: 'memory' } });
    expect(said).toHaveLength(2);
    await closeAll();
  });
});

describe('Nodes of a RedLock', () => {
  it('are refused where two are one server', async () => {
    await using other = await RedisServer.start();
    const proxy = await FaultProxy.start(server);
    try {
      const nodes = [server.url, proxy.url, other.url];
      // The start waits for twice this time, in which a busy machine has to look at three servers.
      const { message } = await caught(start({ redLock: { nodes }, commandTimeout: '2s' }), LockUnsafeError);
      expect(message).toContain('it is the same server as 127.0.0.1:');
    } finally {
      await proxy.close();
    }
  });

  it('F18 lose an unsafe node that comes later, and the others decide', async () => {
    await using other = await RedisServer.start();
    const port = await freePort();
    const nodes = [server.url, other.url, `redis://127.0.0.1:${port}`];
    const locks = await start({ redLock: { nodes }, commandTimeout: '200ms' });
    await using late = await RedisServer.start({
      port,
      args: ['--maxmemory', '1gb', '--maxmemory-policy', 'allkeys-lru'],
    });
    await until(() => said.some((line) => line.startsWith(`error Locks could not be trusted. 127.0.0.1:${port}`)));
    await locks.getRedLock('order:1').withLock(async () => {
      const keys = await Promise.all([server, other, late].map(({ url }) => keysOn(url)));
      expect(keys).toEqual([['order:1'], ['order:1'], []]);
    });
    await closeAll();
  });
});

/** D32: the log line states the fact first, and it is an error. */
const outOfReach = (port: number): string =>
  `error Redis at 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}; check that it runs, ` +
  'and check host and port. Until it is back, locks fail with LockUnavailableError, 503 over HTTP';

describe('D34: the log of a refused start', () => {
  it('because locks could be evicted: only the reason', async () => {
    await evicting();
    await caught(start({ connection: server.url }), LockUnsafeError);
    expect(said).toEqual([]);
  });

  it('because it is a replica: only the reason', async () => {
    await using replica = await RedisServer.start({ args: ['--replicaof', `127.0.0.1 ${server.port}`] });
    await caught(start({ connection: replica.url }), LockUnsafeError);
    expect(said).toEqual([]);
  });

  it('because of one node of a RedLock: nothing about the others', async () => {
    await using replica = await RedisServer.start({ args: ['--replicaof', `127.0.0.1 ${server.port}`] });
    await using other = await RedisServer.start();
    await caught(start({ redLock: { nodes: [server.url, other.url, replica.url] } }), LockUnsafeError);
    expect(said).toEqual([]);
  });
});

describe('D32: a server that refuses the connection for good', () => {
  /** Expects that the start is refused, without any line that says that all is well. */
  const refusedStart = async (options: RedisLockOptions): Promise<LockUnavailableError> => {
    // The refusal comes at once, while the start would wait twice as long as for a command.
    const error = await caught(start({ commandTimeout: '2s', ...options }), LockUnavailableError);
    expect(error).toMatchObject({ permanent: true, code: 'LOCK_UNAVAILABLE' });
    expect(said.filter((line) => !line.includes('cannot be used'))).toEqual([]);
    expect(error.message + said.join('\n')).not.toContain('secret');
    // D54: without this server no lock works; without one node of several it does.
    expect(error.message.includes("set probe: 'warn'")).toBe(options.redLock !== undefined);
    return error;
  };

  it('because of a wrong password, refuses the start', async () => {
    await admin.acl('SETUSER', 'locker', 'reset', 'on', '>right-secret', '~*', '&*', '+@all');
    const url = server.url.replace('//', '//locker:wrong-secret@');
    const { message } = await refusedStart({ connection: url });
    expect(message).toContain(`Redis at 127.0.0.1:${server.port}`);
    expect(message).toContain('it refuses the password of user "locker"');
  });

  it('because its certificate is not trusted, refuses the start', async () => {
    using certificates = await Certificates.make();
    await using secure = await RedisServer.start({ tls: { certificates, identity: 'anotherAuthority' } });
    const connection = { host: secure.host, port: secure.port, tls: certificates.credentials() };
    const { message, cause } = await refusedStart({ connection });
    expect(message).toContain('its certificate is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(cause).toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  it('refuses the start as a node of a RedLock', async () => {
    await using guarded = await RedisServer.start({ args: ['--requirepass', 'right-secret'] });
    await using other = await RedisServer.start();
    const { message } = await refusedStart({ redLock: { nodes: [server.url, other.url, guarded.url] } });
    expect(message).toContain(`Redis at 127.0.0.1:${guarded.port}`);
  });

  it.each(['warn', false] as const)(
    'is logged as an error with probe: %p, and the application starts',
    async (probe) => {
      await using guarded = await RedisServer.start({ args: ['--requirepass', 'right-secret'] });
      const locks = await start({ connection: guarded.url, commandTimeout: '200ms', probe });
      await until(() => said.length > 0);
      expect(said).toEqual([
        expect.stringMatching(`^error Redis at 127.0.0.1:${guarded.port} cannot be used: it requires a password`),
      ]);
      await caught(locks.tryAcquire('order:1'), LockUnavailableError);
      await closeAll();
    },
  );
});

describe('A server that cannot be reached when an application starts', () => {
  it('F18 is checked when it can be reached, and refused if it is not safe', async () => {
    const port = await freePort();
    const locks = await start({ connection: `redis://127.0.0.1:${port}`, commandTimeout: '200ms' });
    expect(said).toEqual([outOfReach(port)]);
    await using late = await RedisServer.start({
      port,
      args: ['--maxmemory', '1gb', '--maxmemory-policy', 'allkeys-lru'],
    });
    const { message } = await refusal(locks);
    expect(message).toContain(`127.0.0.1:${late.port}: it drops keys when memory is short`);
    await until(() => said.length === 3);
    expect(said.slice(1).toSorted()).toEqual([
      `error ${message}`,
      expect.stringMatching(`^log Redis at 127.0.0.1:${port} is back after `),
    ]);
    await expect(locks.getSemaphore('s').tryAcquire()).rejects.toThrow(LockUnsafeError);
    await closeAll();
  });

  it('is used when it can be reached, if it is safe', async () => {
    const port = await freePort();
    const locks = await start({ connection: `redis://127.0.0.1:${port}`, commandTimeout: '200ms' });
    await using late = await RedisServer.start({ port });
    const seen = `one server at 127.0.0.1:${late.port}`;
    await until(() => said.some((line) => line.startsWith('log Redis') && line.includes(seen)));
    await expect(locks.withLock('order:1', () => 'done')).resolves.toBe('done');
    await closeAll();
  });

  it('does not delay the end of the application', async () => {
    const port = await freePort();
    await start({ connection: `redis://127.0.0.1:${port}`, commandTimeout: '200ms' });
    const begun = performance.now();
    await closeAll();
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it('I3 does not delay the end of the application if it accepts without an answer', async () => {
    const proxy = await FaultProxy.start(server);
    proxy.acceptThenSilent();
    try {
      const begun = performance.now();
      await start({ connection: proxy.url, commandTimeout: '200ms' });
      expect(performance.now() - begun).toBeLessThan(2000);
      expect(said).toEqual([
        `error Redis at 127.0.0.1:${proxy.port} cannot be reached: it has not answered yet; check host and port, and ` +
          'whether it is stopped or behind a firewall. ' +
          'Until it is back, locks fail with LockUnavailableError, 503 over HTTP',
      ]);
      await closeAll();
    } finally {
      await proxy.close();
    }
  });
});
