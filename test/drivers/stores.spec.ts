import type { Redis } from 'ioredis';
import { socketDriver } from '../../docs/snippets/socket-driver.js';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import { scriptHash } from '../../lib/backend/scripts/script.js';
import { lockScripts } from '../../lib/backend/scripts/all-scripts.js';
import {
  type Command,
  DriverError,
  type RedisDriver,
  storeCases,
  type StoreUnderTest,
} from '../../lib/driver-kit/index.js';
import { globMatcher } from '../../lib/keys/glob.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createLocks, type CreateLocksOptions } from '../../lib/standalone.js';
import { MonotonicScheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { openClient } from '../kit/client.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { hearing, ignored, sending } from './broken-drivers.js';

let server: RedisServer;
let admin: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  admin = connectAdmin(server.url);
});

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

/** The real server, to which the locks connect by this driver. */
const redisBy = (driver: CreateLocksOptions['driver']): StoreUnderTest => ({
  open: (options) => createLocks({ ...options, connection: server.url, driver }),
  send: ([name, ...args]) => admin.call(name, ...args),
});

/** Clients of one memory. */
const memory = (): StoreUnderTest => {
  const store = new MemoryServer(
    new MonotonicScheduler(systemScheduler, (error) => {
      throw error;
    }),
  );
  return {
    open: async (options) => {
      const { logger: _, ...ofLocks } = options;
      const ofMemory = { ...ofLocks, connection: 'memory' } as const;
      const { fencing, commandTimeout } = parseModuleOptions(ofMemory);
      const client = openClient(ofMemory, {
        backend: (scheduler) => memoryBackend({ fencing, commandTimeout }, scheduler, store),
      });
      const close = (): Promise<void> => client.close();
      return Object.assign(client.locks, { close, [Symbol.asyncDispose]: close });
    },
    send: async ([name, ...args]) =>
      name === 'KEYS' ? store.keyspace.keys().filter(globMatcher(args[0] ?? '')) : store.keyspace.call([name, ...args]),
  };
};

/** Cases that a store has no counterpart for, and why. */
const WITHOUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  memory: { 'takes scripts again that it has forgotten': 'its scripts are part of the library' },
};

const run = async (store: StoreUnderTest, name: string): Promise<void> => {
  const found = storeCases(store).find((each) => each.name === name);
  if (!found) throw new Error(`There is no case '${name}'`);
  return found.run();
};

const CASES = storeCases(redisBy(undefined)).map(({ name }) => name);

describe.each([
  ['Redis by ioredis', () => redisBy('ioredis')],
  ['Redis by node-redis', () => redisBy('node-redis')],
  ['memory', memory],
] as const)('The store: %s', (title, open) => {
  for (const name of CASES) {
    const reason = WITHOUT[title]?.[name];
    (reason === undefined ? it : it.skip)(reason === undefined ? name : `${name}: ${reason}`, async () => {
      const store = open();
      await expect(run(store, name)).resolves.toBeUndefined();
      await expect(store.send(['KEYS', '*store-kit:*'])).resolves.toEqual([]);
    });
  }
});

const TEXTS = new Map(lockScripts.map(({ text }) => [scriptHash(text), text]));

/** The script that a command executes. */
const scriptIn = ([name, script = '']: Command): string | undefined =>
  name === 'eval' ? script : name === 'evalsha' ? TEXTS.get(script) : undefined;

/** A server whose scripts get other replies: `instead` is Lua that may return one to the command `name`. */
const answering = (instead: string): RedisDriver => {
  const wrapped = `local real = redis
    local function other(call) return function(name, ...) ${instead} return call(name, ...) end end
    local redis = setmetatable({ call = other(real.call), pcall = other(real.pcall) }, { __index = real })\n`;
  return sending((connection) => ({
    send: (command) => {
      const [, , ...rest] = command;
      const text = scriptIn(command);
      return connection.send(text === undefined ? command : ['EVAL', wrapped + text, ...rest]);
    },
  }));
};

/** A proxy that changes what is sent. */
const changing = (change: (part: string) => string): RedisDriver =>
  sending((connection) => ({
    send: ([name, ...args]) => connection.send([name, ...args.map(change)]),
  }));

/** A proxy that answers a script as it was answered for the first time. */
const remembering = (): RedisDriver => {
  const seen = new Map<string, Promise<unknown>>();
  return sending((connection) => ({
    send: (command) => {
      const script = scriptIn(command);
      if (script === undefined) return connection.send(command);
      const reply = seen.get(script) ?? connection.send(command);
      seen.set(script, reply);
      return reply;
    },
  }));
};

const replying = (change: (command: Command, reply: Promise<unknown>) => Promise<unknown>): RedisDriver =>
  sending((connection) => ({ send: (command) => change(command, connection.send(command)) }));

const silent = hearing(() => ({ onMessage: ignored }));
const withLostFields = answering("if name == 'HGET' then return call(name, ...) or '1' end");
const withoutPublish = answering("if name == 'PUBLISH' then return 0 end");

/** What servers and proxies do wrong, the case that notices it, and what it says. */
const MISTAKES: readonly (readonly [mistake: string, noticedBy: string, says: string, driver: RedisDriver])[] = [
  [
    'evicts keys',
    'passes the checks at the start of an application',
    'it drops keys when memory is short',
    replying(async ([name], reply) =>
      name === 'INFO' ? `maxmemory:1\r\nmaxmemory_policy:allkeys-lru\r\n${String(await reply)}` : reply,
    ),
  ],
  [
    'finds no key',
    'keeps other clients out of a lock that is held',
    'another client got it as well',
    answering("if name == 'EXISTS' then return 0 end"),
  ],
  [
    'answers from a cache',
    'keeps other clients out of a lock that is held',
    'another client got it as well',
    remembering(),
  ],
  ['loses messages', 'tells a waiting client that a lock is free', 'it was not told within 3000 ms', silent],
  [
    'ignores times to live',
    'ends a lease by itself',
    'were not enough for one of 2000 ms',
    answering("if name == 'PEXPIRE' then return 1 end"),
  ],
  [
    'lets no time to live be changed',
    'lets a lease be renewed',
    'a renewal',
    answering("if name == 'PEXPIRE' and real.call('PTTL', (...)) > 0 then return 1 end"),
  ],
  [
    'does not count',
    'counts the holds of an owner',
    'there were 1 in place of 2',
    answering("if name == 'HINCRBY' then return 1 end"),
  ],
  [
    'has the ends of lists the other way round',
    'serves the clients that wait for a fair lock in their order',
    'their order was',
    answering("if name == 'RPUSH' then return call('LPUSH', ...) end"),
  ],
  [
    'does not find a field that is there',
    'lets many read, or one write',
    'one may write while two read',
    answering("if select(2, ...) == 'mode' then return false elseif name == 'TYPE' then return { ok = 'none' } end"),
  ],
  [
    'has a clock that stands',
    'gives fencing tokens that rise, also after it has lost its data',
    'they were ',
    answering("if name == 'TIME' then return { '1700000000', '0' } end"),
  ],
  [
    'does not count members',
    'gives no more permits of a limit than there are',
    'there was a third of 2',
    answering("if name == 'ZCOUNT' then return 0 end"),
  ],
  [
    'does not subtract',
    'gives no more permits of a semaphore than there are',
    'there was a third of 2',
    answering("if name == 'DECRBY' then return 1 end"),
  ],
  [
    'finds no members by their score',
    'takes back a permit whose lease has ended',
    'no client got it within 5000 ms',
    answering("if name == 'ZRANGEBYSCORE' then return {} end"),
  ],
  [
    'publishes nothing from scripts',
    'tells a waiting client that a latch is open',
    'it was not told within 3000 ms',
    withoutPublish,
  ],
  [
    'publishes nothing from scripts',
    'tells a holder that its lock was released by others',
    'an aborted signal',
    withoutPublish,
  ],
  ['loses messages', 'tells a holder that a newer caller has its lock', 'an aborted signal', silent],
  [
    'finds fields that are gone',
    'passes a lock from one client to another',
    'another client got it as well',
    withLostFields,
  ],
  [
    'does not say which script is missing',
    'takes scripts again that it has forgotten',
    'ERR no such script',
    // Each time: other cases load the scripts meanwhile.
    replying(async ([name], reply) => {
      await Promise.allSettled([reply]);
      if (name === 'evalsha') throw new DriverError('refused', 'ERR no such script');
      return reply;
    }),
  ],
  ['finds fields that are gone', 'says at a renewal that a lock is gone', 'a hold that is lost', withLostFields],
  ['normalizes text', 'tells names apart', 'was held with another name', changing((part) => part.normalize('NFC'))],
  [
    'takes prefixes off',
    'tells prefixes apart',
    'it was held with another prefix',
    changing((part) => part.replaceAll(/(?:one|two):job/g, 'job')),
  ],
  [
    'gives only hashes a time to live',
    'gives every key of a lock an end',
    'had none',
    answering("if name == 'PEXPIRE' and real.call('TYPE', (...)).ok ~= 'hash' then return 1 end"),
  ],
];

describe('The cases', () => {
  it('pass at the same time, on the driver that the mistakes are made in', async () => {
    const cases = storeCases(redisBy(socketDriver));
    await expect(Promise.all(cases.map((each) => each.run()))).resolves.toHaveLength(CASES.length);
  });

  it('notice each mistake, and say what was expected and what was found', async () => {
    // At once, since some cases fail by their time limit.
    const told = await Promise.all(
      MISTAKES.map(async ([mistake, noticedBy, says, driver]) => {
        const error: unknown = await run(redisBy(driver), noticedBy).catch((failure: unknown) => failure);
        const isSaid =
          String(error).startsWith(`Error: Expected that the store ${noticedBy}: `) && String(error).includes(says);
        return isSaid ? [] : [`${mistake}: ${String(error)}`];
      }),
    );
    expect(told.flat()).toEqual([]);
    await expect(admin.keys('*store-kit:*')).resolves.toEqual([]);
  });

  it('can each fail', () => {
    expect(new Set(MISTAKES.map(([, noticedBy]) => noticedBy))).toEqual(new Set(CASES));
  });
});
