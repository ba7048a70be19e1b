import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import * as redis from 'redis';
import { createClient as createClient5 } from 'redis5';
import { socketDriver } from '../../docs/snippets/socket-driver.js';
import { driverOf, isGivenClient } from '../../lib/backend/driver/given-client.js';
import { driverNamed } from '../../lib/backend/driver/drivers.js';
import { DriverError, driverCases, type RedisDriver } from '../../lib/driver-kit/index.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { connecting, hearing, ignored, sending } from './broken-drivers.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

const run = async (driver: RedisDriver, name: string): Promise<void> => {
  const found = driverCases(driver, { host: server.host, port: server.port }).find((each) => each.name === name);
  if (!found) throw new Error(`There is no case '${name}'`);
  return found.run();
};

/** Clients that applications give, of each library and version: connections are duplicates of them. */
const GIVEN: Readonly<Record<string, () => object>> = {
  'ioredis 5.4': () => new Redis5({ lazyConnect: true }),
  'ioredis 6': () => new Redis({ lazyConnect: true }),
  iovalkey: () => new Valkey({ lazyConnect: true }),
  'node-redis 5': () => createClient5(),
  'node-redis 6': () => redis.createClient(),
};

const ofGiven = ([name, create]: readonly [string, () => object]) => {
  const client = create();
  if (!isGivenClient(client)) throw new Error(`A client of ${name} is not recognised`);
  return { ...driverOf(client), name: `a given client of ${name}` };
};

describe.each([driverNamed('ioredis'), driverNamed('node-redis'), socketDriver, ...Object.entries(GIVEN).map(ofGiven)])(
  'A driver of $name',
  (driver) => {
    it.each(driverCases(driver).map(({ name }) => name))('%s', async (name) => {
      await expect(run(driver, name)).resolves.toBeUndefined();
    });
  },
);

it('The driver of node-redis makes the methods of all commands once, which takes 50 ms', async () => {
  const created = jest.spyOn(redis, 'createClient');
  const elsewhere = await RedisServer.start();
  for (const to of [server, elsewhere]) {
    const terms = { timeout: 1000, signal: new AbortController().signal };
    const listener = { onMessage: ignored, onMoved: ignored, onEnd: ignored };
    const connection = await driverNamed('node-redis').connect({ host: to.host, port: to.port }, terms, listener);
    await expect(connection.send(['PING'])).resolves.toBe('PONG');
    connection.end();
  }
  expect(created.mock.calls.length).toBeLessThan(2);
  await elsewhere.stop();
});

/** What drivers do wrong, and the case that notices it. */
const MISTAKES: readonly (readonly [mistake: string, noticedBy: string, driver: RedisDriver])[] = [
  [
    'maps as objects',
    'gives replies in the shapes of RESP 2',
    sending((connection) => ({
      send: (command) => (command[0] === 'HGETALL' ? Promise.resolve({ a: '1', b: '2' }) : connection.send(command)),
    })),
  ],
  [
    'text that was trimmed',
    'sends bytes as they are',
    sending((connection) => ({
      send: async (command) => {
        const reply = await connection.send(command);
        return typeof reply === 'string' ? reply.replaceAll('\r\n', '\n') : reply;
      },
    })),
  ],
  [
    'errors of its library',
    'tells what the server refuses, with its code, and goes on',
    sending((connection) => ({
      send: (command) =>
        connection.send(command).catch(() => {
          throw new Error('ERR');
        }),
    })),
  ],
  ['commands that stay held back', 'sends what was held back', sending(() => ({ uncork: ignored }))],
  ['messages that are lost', 'hears messages of its channels', hearing(() => ({ onMessage: ignored }))],
  [
    'subscriptions that do not end',
    'hears messages of channels of a shard',
    sending(() => ({ unsubscribe: () => Promise.resolve() })),
  ],
  [
    'an end that is told twice',
    'tells what was cut from what it never wrote, ends once, and connects no second time',
    hearing((listener) => ({
      onEnd: () => {
        listener.onEnd();
        listener.onEnd();
      },
    })),
  ],
  [
    'a command after the end that may have been written',
    'tells what was cut from what it never wrote, ends once, and connects no second time',
    sending((connection) => ({
      send: (command) =>
        connection.send(command).catch((error: unknown) => {
          throw error instanceof DriverError && error.kind === 'not-written' ? new DriverError('cut', 'cut') : error;
        }),
    })),
  ],
  ['no end', 'destroys a connection with a command in flight', sending(() => ({ destroy: ignored }))],
  ['an end that nobody is told of', 'ends a connection after what it has written', hearing(() => ({ onEnd: ignored }))],
  [
    'no login',
    'logs in, and says why it cannot',
    connecting(({ host, port }, ...rest) => socketDriver.connect({ host, port }, ...rest)),
  ],
  [
    'reasons without a code',
    'says why there is no connection',
    connecting((...given) =>
      socketDriver.connect(...given).catch(() => {
        throw new Error('no connection');
      }),
    ),
  ],
  [
    'attempts that go on',
    'gives up a connection that is not answered',
    connecting((to, { timeout }, listener) =>
      socketDriver.connect(to, { timeout, signal: new AbortController().signal }, listener),
    ),
  ],
];

it('The cases notice each mistake, and name what did not happen', async () => {
  const silent = sending(() => ({ send: () => new Promise(ignored) }));
  // At once, since some cases fail by their time limit.
  const [told, ...missed] = await Promise.all([
    run(silent, 'sends bytes as they are').catch(String),
    ...MISTAKES.map(async ([mistake, noticedBy, driver]) => {
      const isNoticed = await run(driver, noticedBy).then(
        () => false,
        () => true,
      );
      return isNoticed ? [] : [mistake];
    }),
  ]);
  expect(told).toContain('Not within 10000 ms: an answer');
  expect(missed.flat()).toEqual([]);
});
