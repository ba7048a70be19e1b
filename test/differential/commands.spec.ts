import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { Keyspace, Refusal, type Reply, Status } from '../../lib/backend/memory/keyspace.js';
import { readKeyspace } from '../contract/vectors/memory-data.js';
import { readRedis } from '../contract/vectors/redis-data.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { ClockedServer } from '../servers/redis/clocked-server.js';

const RUNS = Number(process.env['DIFFERENTIAL_RUNS'] ?? 25);
const COMMANDS = 40;
const START = 1_700_000_000_000;
const LAST_MS = 1;

type Command = readonly [name: string, ...args: string[]];

const key = fc.constantFrom('a', 'b', 'c');
const member = fc.constantFrom('x', 'y', 'z', 'y:1', '');
const number = fc.constantFrom('0', '1', '-1', '2', '7', '100', '1700000000500');
const score = fc.oneof(number, fc.constantFrom('0.5', '1e3', '-inf', '+inf', 'nought'));
const bound = fc.oneof(score, fc.constantFrom('(1', '(100'));
const value = fc.constantFrom('5', '-3', 'text', '1.5');
const ttl = fc.constantFrom('1', '10', '500', '0', '-5', 'soon');
const scores = fc.constantFrom<string[]>([], ['WITHSCORES']);
const limit = fc.constantFrom<string[]>([], ['LIMIT', '0', '1'], ['LIMIT', '1', '-1']);
const options = fc.constantFrom<string[]>([], ['NX'], ['XX'], ['XX', 'INCR'], ['INCR']);

const command = (name: string, ...parts: readonly fc.Arbitrary<string | string[]>[]): fc.Arbitrary<Command> =>
  fc.tuple(...parts).map((args): Command => [name, ...args.flat()]);

/** The commands that scripts use. `PASS` lets time go on. */
const commands: readonly fc.Arbitrary<Command>[] = [
  command('PASS', fc.constantFrom('1', '9', '500')),
  command('TYPE', key),
  command('EXISTS', key, key),
  command('DEL', key, key),
  command('PTTL', key),
  command('PEXPIRE', key, ttl),
  command('PERSIST', key),
  command('GET', key),
  command('SET', key, value),
  command('SET', key, value, fc.constant('PX'), fc.constantFrom('1', '500')),
  ...['INCR', 'DECR'].map((name) => command(name, key)),
  ...['INCRBY', 'DECRBY'].map((name) => command(name, key, fc.oneof(number, value))),
  command('HGET', key, member),
  command('HSET', key, member, value, member, value),
  command('HINCRBY', key, member, fc.oneof(number, value)),
  command('HDEL', key, member, member),
  ...['HLEN', 'HKEYS', 'HGETALL'].map((name) => command(name, key)),
  command('RPUSH', key, member, member),
  command('LRANGE', key, number, number),
  command('LINDEX', key, number),
  command('LPOP', key),
  command('LREM', key, fc.constantFrom('0', '1', '2'), member),
  command('ZADD', key, options, score, member),
  command('ZADD', key, score, member, score, member),
  command('ZSCORE', key, member),
  command('ZCARD', key),
  command('ZREM', key, member, member),
  command('ZPOPMIN', key),
  ...['ZRANGE', 'ZREVRANGE'].map((name) => command(name, key, number, number, scores)),
  command('ZCOUNT', key, bound, bound),
  command('ZRANGEBYSCORE', key, bound, bound, scores, limit),
  command('ZREMRANGEBYSCORE', key, bound, bound),
  command('PUBLISH', key, value),
  command('NONSENSE', key),
];

/** How Redis begins the text of an error; the rest differs between its versions. */
const errorKind = (error: Error): string => {
  const [kind = ''] = error.message.split(' ');
  return `${kind} ${/integer|float|[Uu]nknown/.exec(error.message)?.[0].toLowerCase() ?? ''}`;
};

/** Sets and hashes of Redis have no order. */
const unordered = (name: string, reply: unknown): unknown => {
  if (!Array.isArray(reply) || !name.startsWith('H')) return reply;
  const texts = reply.map(String);
  if (name === 'HKEYS') return texts.toSorted();
  return texts
    .filter((_, index) => index % 2 === 0)
    .map((field, index) => `${field}=${texts[2 * index + 1]}`)
    .toSorted();
};

const plain = (reply: Reply): unknown => (reply instanceof Status ? reply.text : reply);

const inKeyspace = (keyspace: Keyspace, [name, ...args]: Command): unknown => {
  try {
    return unordered(name, plain(keyspace.call([name, ...args])));
  } catch (error) {
    if (error instanceof Refusal) return errorKind(error);
    throw error;
  }
};

/** As scripts see replies, whatever the protocol of the connection. */
const onServer = async (admin: Redis, asked: Command): Promise<unknown> => {
  try {
    return unordered(asked[0], await admin.eval('return redis.call(unpack(ARGV))', 0, ...asked));
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return errorKind(error);
    throw error;
  }
};

describe('A keyspace in memory', () => {
  let clocked: ClockedServer;
  let admin: Redis;

  beforeAll(async () => {
    clocked = await ClockedServer.start();
    admin = connectAdmin(clocked.server.url);
  });

  afterAll(async () => {
    admin.disconnect();
    await clocked.server.stop();
  });

  it(
    'replies to commands as Redis does, and has the same keys after them',
    async () => {
      const list = fc.array(fc.oneof(...commands), { minLength: 1, maxLength: COMMANDS });
      await fc.assert(
        fc.asyncProperty(list, async (asked) => {
          let now = START;
          clocked.standAt(now);
          await admin.flushall();
          const keyspace = new Keyspace(() => now, { publish: () => 0, receivers: () => 0 }, LAST_MS);
          for (const each of asked) {
            const [name, ms] = each;
            if (name === 'PASS') {
              now += Number(ms);
              clocked.standAt(now);
              continue;
            }
            const reply = inKeyspace(keyspace, each);
            expect({ command: each.join(' '), reply }).toEqual({
              command: each.join(' '),
              reply: await onServer(admin, each),
            });
          }
          expect(readKeyspace(keyspace)).toEqual(await readRedis(admin));
        }),
        { numRuns: RUNS },
      );
    },
    60_000 + 200 * RUNS,
  );
});
