import { spawnSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import type { Redis } from 'ioredis';
import { Keyspace } from '../../lib/backend/memory/keyspace.js';
import * as L from '../../lib/backend/memory/lua.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { messageOf } from '../../lib/errors.js';

const TOOL = new URL('../../tools/lua-to-js.mjs', import.meta.url);

/** Translates scripts. Those that are refused have the reason in place of the code. */
const translate = (scripts: readonly string[]): readonly string[] => {
  const program = `
    import { translateScript } from ${JSON.stringify(TOOL.href)};
    const translated = ${JSON.stringify(scripts)}.map((text) => {
      try {
        return translateScript(text, [], (why) => { throw new Error(why); });
      } catch (error) {
        return 'refused: ' + error.message;
      }
    });
    console.log(JSON.stringify(translated));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as readonly string[];
};

/** Scripts that are called with the keys `k`, `l` and the arguments `1`, `two`, `3.5`. */
const SCRIPTS: readonly string[] = [
  "return { 'text', 7, -2, 1.9, -1.9, 1e3, true, 'after' }",
  'return { 1, false, 2 }',
  'return { 1, nil, 2 }',
  'return false',
  'return nil',
  "return { #KEYS, #ARGV, KEYS[2], ARGV[3], KEYS[9] == nil and 'none' }",
  "return ARGV[1] + 1 .. '|' .. ARGV[1] * 2 .. '|' .. 10 / 4 .. '|' .. 2 ^ 10 .. '|' .. -7 % 5 .. '|' .. 5.5 % 2",
  "return tostring(1e15) .. ' ' .. 123456789012 .. ' ' .. 0.1 .. ' ' .. 100 .. ' ' .. 2 ^ 53 .. ' ' .. 0.00001 .. ' ' .. -1.5",
  "return { tonumber('12') or 'nil', tonumber('0x') or 'nil', tonumber('ff', 16), tonumber(' 5 '), tonumber('') or 'nil' }",
  "local a, b, c = (function() return 1, 2 end)() return { a, b, c == nil and 'nil' or 'some' }",
  "local function two() return 'a', 'b' end local t = { two(), two() } return { #t, t[1], t[2], t[3] }",
  "local function none() end local a = none() return a == nil and 'nil' or 'some'",
  'local function sum(a, b) return a + (b or 10) end return { sum(1), sum(1, 2) }',
  "local t = {} t[#t + 1] = 'x' t[#t + 1] = 'y' t.name = 'z' return { #t, t[1], t[2], t.name, t['name'] }",
  "local t = {} t[0] = 'a' t[-1] = 'b' t[3] = 'c' t[1] = 'd' t[2] = 'e' t[1.5] = 'f' return { t[0], t[-1], t[1], t[2], t[3], t[1.5] }",
  "local t = { 'a', 'b', 'c' } table.insert(t, 1, 'first') table.insert(t, 'last') return t",
  "local seen = '' for i, v in ipairs({ 'a', 'b', nil, 'd' }) do seen = seen .. i .. v end return seen",
  'local sum = 0 for i = 10, 1, -3 do sum = sum * 100 + i end return sum',
  'local n = 0 while true do n = n + 1 if n == 5 then break end end return n',
  "local x = 1 do local x = 2 end if x == 1 then local x = x + 1 return x elseif x == 2 then return 'b' else return 'c' end",
  "return { 0 and 'zero is true' or 'no', '' and 'text is true' or 'no', not nil and 1 or 2, (nil or false) == false and 1 or 2 }",
  "return { 1 == '1' and 'same' or 'other', 'a' < 'b' and 1 or 2, 'a' ~= 'b' and 1 or 2, 1 <= 1 and 1 or 2 }",
  'return { math.max(1, 7, 3), math.min(4, 2), math.floor(-1.5), math.ceil(-1.5), math.abs(-3), math.huge > 1e300 and 1 or 2 }',
  "return { string.sub('abcdef', 2, 3), string.sub('abcdef', -2), string.sub('abc', 2), string.byte('A'), string.char(72, 105) }",
  "return { string.format('%.0f', 1e15), string.format('%06d', 42), string.format('%02x', 10), string.format('x%.0f', 2 ^ 53) }",
  "return { string.find('a.b', '.', 1, true), string.find('abc', 'b'), string.find('abc', 'z') or 'nil' }",
  "return { string.match('owner:7 100 20', '^((.+):%d+) (%d+) (%d+)$') }",
  "return { string.match('key', '^%d+$') or 'nil', string.match('12ab', '%d+'), ('x-y'):match('^(.-)%-') }",
  "return { string.gsub('hello', 'l', 'L'), string.gsub('hello', 'l', 'L', 1) }",
  "local bytes = ('4849'):gsub('%x%x', function(byte) return string.char(tonumber(byte, 16)) end) return bytes",
  "return { type('x'), type(1), type(nil), type({}), type(true) }",
  "return cjson.encode({ a = 1 }) .. cjson.encode({ 1, 'b', true })",
  "return { unpack({ 'a', 'b' }) }",
  "redis.call('SET', KEYS[1], 'x') return { redis.call('GET', KEYS[1]), redis.call('GET', 'none') == false and 'none' or 'some' }",
  "return redis.call('SET', KEYS[1], 1.5).ok .. redis.call('GET', KEYS[1])",
  "redis.call('SET', KEYS[1], 12) return redis.call('TYPE', KEYS[1]).ok .. redis.call('INCRBY', KEYS[1], 3)",
  "redis.call('SET', KEYS[1], 'x') local failed = redis.pcall('HGET', KEYS[1], 'f') return type(failed) .. string.sub(failed.err, 1, 9)",
  "redis.call('ZADD', KEYS[1], 1.5, 'm', 2, 'n') return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'WITHSCORES')",
  "redis.call('SET', KEYS[1], 'x') return redis.pcall('HGET', KEYS[1], 'f')",
  "return redis.error_reply('ERR of our own')",
  "local new, var, class = 1, 2, 3 local string_ = 'words of JavaScript' return { new, var, class, string_ }",
];

/** What is not of the subset. */
const REFUSED: readonly (readonly [text: string, why: string])[] = [
  ['return undeclared', "'undeclared' is not declared"],
  ['undeclared = 1', "'undeclared' is not declared"],
  ['for k, v in pairs({}) do end', 'a loop over anything but ipairs()'],
  ["local s = ('x'):upper return (tostring(1))", ''],
  ['local function f() return 1, 2 end return (f())', 'a returned call in parentheses'],
  ['function global() end', 'a function that is not local'],
  ['repeat local x = 1 until x', "a statement 'RepeatStatement'"],
  ["return type 'x'", 'a call without parentheses'],
];

describe('A translated script', () => {
  let server: RedisServer;
  let admin: Redis;
  const translated = translate(SCRIPTS);

  beforeAll(async () => {
    server = await RedisServer.start();
    admin = connectAdmin(server.url);
  });

  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  it.each(SCRIPTS.map((text, index) => [text, index] as const))('replies as on Redis: %s', async (text, index) => {
    await admin.flushall();
    const [keys, args] = [
      ['k', 'l'],
      ['1', 'two', '3.5'],
    ];
    const codeOf = (error: unknown): string => `refused: ${messageOf(error).split(' ')[0]}`;
    const real: unknown = await admin.eval(text, keys.length, ...keys, ...args).catch(codeOf);
    const keyspace = new Keyspace(Date.now, { publish: () => 0, receivers: () => 0 });
    const run = runInNewContext(translated[index] ?? '', { L }) as L.TranslatedScript;
    let found: unknown;
    try {
      found = L.runScript(keyspace, run, keys, args);
    } catch (error) {
      found = codeOf(error);
    }
    expect(found).toEqual(real);
  });

  it('is none of Lua beyond what scripts need', () => {
    const refused = translate(REFUSED.map(([text]) => text));
    for (const [index, [, why]] of REFUSED.entries()) expect(refused[index]).toContain(`refused: ${why}`);
  });
});
