import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { LockUnavailableError } from '../../lib/standalone.js';
import type { ConnectionInput } from '../../lib/advanced.js';
import { Certificates } from '../servers/redis/certificates.js';
import { FaultProxy, mentions } from '../servers/proxy/fault-proxy.js';
import { freePort } from '../servers/process/free-port.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { describeWith } from '../servers/redis/server-features.js';
import { until } from '../kit/until.js';
import { FakeRedis, Raw } from './fake-redis.js';
import { settled } from './observe.js';
import { openLocks } from './server-fixture.js';
import type { Client } from '../kit/client.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';

let plain: RedisServer;
let guarded: RedisServer;
let web: Server;
const clients: Client[] = [];

beforeAll(async () => {
  plain = await RedisServer.start();
  guarded = await RedisServer.start({ args: ['--requirepass', 'right-secret'] });
  web = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(web, 'listening');
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  web.close();
  await Promise.all([plain.stop(), guarded.stop()]);
});

const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The web server has no port');
  return address.port;
};

const open = (connection: ConnectionInput): Client => {
  const client = openLocks(connection);
  clients.push(client);
  return client;
};

/** Tries to acquire a lock until the error has the expected message, and resolves with that error. */
const told = async (connection: ConnectionInput, expected: RegExp): Promise<LockUnavailableError> => {
  const { locks } = open(connection);
  let last: unknown;
  await until(
    async () => {
      last = (await settled(() => locks.tryAcquire('order:1'))).error;
      return last instanceof LockUnavailableError && expected.test(last.message);
    },
    8000,
    `${expected}`,
  ).catch(() => expect(String(last)).toMatch(expected));
  return last as LockUnavailableError;
};

const at = (host: string, port: number): string => `No connection to Redis at ${host}:${port} within \\d+ ms: `;

describe('D34: the error without a connection', () => {
  it('with a wrong password names server, user and remedy, never the password', async () => {
    const error = await told(
      `redis://joe:wrong-secret@127.0.0.1:${guarded.port}`,
      new RegExp(
        `^${at('127.0.0.1', guarded.port)}it refuses the password of user "joe" \\(WRONGPASS .*\\); give a user and`,
      ),
    );
    expect(error.permanent).toBe(true);
    expect(`${error.stack}${String(error.cause)}`).not.toContain('secret');
  });

  it('with a wrong password and no user names the default user', async () => {
    const { permanent } = await told(
      `redis://:wrong-secret@127.0.0.1:${guarded.port}`,
      /it refuses the password of user "default"/,
    );
    expect(permanent).toBe(true);
  });

  it('without a password names what to give', async () => {
    const { permanent } = await told(
      guarded.url,
      new RegExp(
        `^${at('127.0.0.1', guarded.port)}it requires a password, and none was given \\(NOAUTH\\); ` +
          `give redis://user:password@127.0.0.1:${guarded.port}, or username and password as options$`,
      ),
    );
    expect(permanent).toBe(true);
  });

  it('for TLS to a server without it names that before the handshake times out', async () => {
    const { permanent } = await told(
      `rediss://127.0.0.1:${plain.port}`,
      new RegExp(
        `^${at('127.0.0.1', plain.port)}no TLS handshake yet; if it runs without TLS give redis://127.0.0.1:${plain.port}, and no tls$`,
      ),
    );
    expect(permanent).toBe(false);
  });

  it('for TLS to a server without it names that after the handshake timed out', async () => {
    const { permanent } = await told(
      `rediss://127.0.0.1:${plain.port}`,
      /no TLS handshake yet \(connect ETIMEDOUT\); if it runs without TLS/,
    );
    expect(permanent).toBe(false);
  });

  describeWith('TLS', 'of a server with TLS', () => {
    let secure: RedisServer;
    let certificates: Certificates;

    beforeAll(async () => {
      certificates = await Certificates.make();
      secure = await RedisServer.start({ tls: { certificates } });
    });

    afterAll(async () => {
      await secure.stop();
      certificates.remove();
    });

    it('names plain text to a server with TLS', async () => {
      const { permanent } = await told(
        `redis://127.0.0.1:${secure.port}`,
        new RegExp(
          `^${at('127.0.0.1', secure.port)}it cut the connection before it answered \\(.*\\); ` +
            `if it expects TLS give rediss://127.0.0.1:${secure.port}, or tls$`,
        ),
      );
      expect(permanent).toBe(false);
    });

    it('names a certificate of an unknown authority', async () => {
      const { permanent } = await told(
        `rediss://127.0.0.1:${secure.port}`,
        new RegExp(
          `^${at('127.0.0.1', secure.port)}its certificate is not trusted \\(SELF_SIGNED_CERT_IN_CHAIN: .*\\); ` +
            `give the certificate of the authority that issued it as tls.ca$`,
        ),
      );
      expect(permanent).toBe(true);
    });
  });

  it('names the port of a web server', async () => {
    const { message } = await told(
      `redis://127.0.0.1:${portOf(web)}`,
      new RegExp(`^${at('127.0.0.1', portOf(web))}the server there does not speak the Redis protocol; give host and`),
    );
    expect(message).not.toContain('Please report');
  });

  it('names a port without a listener', async () => {
    const port = await freePort();
    const { permanent } = await told(
      `redis://127.0.0.1:${port}`,
      new RegExp(
        `^${at('127.0.0.1', port)}connect ECONNREFUSED 127.0.0.1:${port}; check that it runs, and check host and port$`,
      ),
    );
    expect(permanent).toBe(false);
  });

  it('names Sentinels that do not answer', async () => {
    const port = await freePort();
    const { permanent } = await told(
      { sentinels: [{ host: '127.0.0.1', port }], name: 'shop' },
      new RegExp(
        `^No connection to Redis master "shop" of Sentinels within \\d+ ms: no Sentinel of 127.0.0.1:${port} knows its address`,
      ),
    );
    expect(permanent).toBe(false);
  });

  it('does not show a password that the server repeats from an unknown command', async () => {
    const fake = await FakeRedis.start();
    fake.answer = ({ name, args }) =>
      name === 'auth'
        ? new Raw(`-ERR unknown command 'AUTH', with args beginning with: '${args.join("' '")}'\r\n`)
        : undefined;
    try {
      const error = await told(fake.url.replace('//', '//joe:wrong-secret@'), /does not know AUTH/);
      expect(`${error.stack}${String(error.cause)}${(error.cause as Error).stack}`).not.toContain('secret');
    } finally {
      await fake.close();
    }
  });
});

describe('A database that the server does not have', () => {
  it('D34: is reported, and no lock is stored in another one', async () => {
    const { permanent } = await told(
      `redis://127.0.0.1:${plain.port}/99`,
      /it has no database 99 \(ERR DB index is out of range\); give one that it has/,
    );
    expect(permanent).toBe(true);
    const admin = connectAdmin(plain.url);
    await expect(admin.keys('*')).resolves.toEqual([]);
    admin.disconnect();
  });

  it('D34: is reported, and no lock is stored elsewhere, if the user may not select it', async () => {
    const admin = connectAdmin(plain.url);
    await admin.acl('SETUSER', 'locks', 'reset', 'on', '>right-secret', '~*', '&*', '+@all', '-select');
    const { permanent } = await told(
      `redis://locks:right-secret@127.0.0.1:${plain.port}/3`,
      /its user "locks" lacks a right \(NOPERM .*'select'/,
    );
    expect(permanent).toBe(true);
    await expect(admin.keys('*')).resolves.toEqual([]);
    admin.disconnect();
  });
});

describe('D26: a command whose connection is cut', () => {
  it.each([
    ['before', 'unknown'],
    ['after', 'unknown'],
  ] as const)('%s it arrived rejects without advice on options of ioredis', async (when, outcome) => {
    await using proxy = await FaultProxy.start(plain);
    const client = open(proxy.url);
    await client.connected();
    const matches = mentions('eval', 'order:cut');
    const cut = when === 'before' ? proxy.cutBefore(matches) : proxy.cutAfter(matches);
    const { error } = await settled(() => client.locks.tryAcquire('order:cut'));
    await cut;
    expect(error).toMatchObject({ outcome, message: 'The connection to Redis was cut before the reply' });
    expect(`${String(error)}${String((error as Error).cause)}`).not.toMatch(/maxRetries|Refer to|enableOfflineQueue/);
  });
});
