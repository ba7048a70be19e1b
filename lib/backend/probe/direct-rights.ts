import type { PublishCommand } from '../commands/script-executor.js';
import { scriptHash } from '../scripts/script.js';
import type { ProbeNames } from './probe-names.js';
import { type Answer, isDenied, isForbidden, isUnknown, type ProbeConnection } from './probe-connection.js';

type Call = readonly [command: string, ...args: string[]];

/** The commands that remove what others may write. */
const removing = (lock: string): readonly Call[] => [
  ['DEL', lock],
  ['SET', lock, '', 'PX', '1000'],
  ['PEXPIRE', lock, '1000'],
];

/** Commands that change nothing: they read, are refused for the type of the key, or for their arguments. */
const harmless = (lock: string): readonly Call[] => [
  ['PUBSUB', 'NUMSUB'],
  ...['PERSIST', 'GET', 'EXISTS', 'TYPE', 'PTTL', 'HGETALL', 'HKEYS', 'HLEN', 'LPOP', 'ZCARD', 'ZPOPMIN'].map(
    (command): Call => [command, lock],
  ),
  ['HRANDFIELD', lock, '1'],
  ...['HGET', 'HDEL', 'ZSCORE', 'ZREM'].map((command): Call => [command, lock, 'probe']),
  ...['LRANGE', 'ZCOUNT', 'ZRANGEBYSCORE', 'ZREVRANGE', 'ZREMRANGEBYSCORE'].map((command): Call => [
    command,
    lock,
    '0',
    '0',
  ]),
  ['LINDEX', lock, '0'],
  ['LREM', lock, '0', 'probe'],
  ['HSET', lock, 'probe', '', 'probe'],
  ['HINCRBY', lock, 'probe', 'probe'],
  ['INCRBY', lock, 'probe'],
  ['DECRBY', lock, 'probe'],
  ['ZADD', lock, 'probe', 'probe'],
];

/** Commands that no arguments keep from writing. */
const leaving = (lock: string): readonly Call[] => [
  ['INCR', lock],
  ['DECR', lock],
  ['RPUSH', lock, 'probe'],
];

/** Rights that a user lacks, in the words of the script `probe/rights`. */
export interface DirectRights {
  readonly refused: readonly string[];
  readonly isReplica: boolean;
  /** The ACL rules for keys, if it has no command to try them with. */
  readonly untried: readonly string[];
}

const send = (server: ProbeConnection, calls: readonly Call[]): Promise<readonly (readonly [string, Answer])[]> =>
  Promise.all(
    calls.map(async (command) => [command[0], await server.answer((connection) => connection.send(command))] as const),
  );

/**
 * Tries the commands of scripts one by one, for a user that may run no script: its other missing rights are to be named
 * with that one.
 * @param withoutScripts `EVAL` and `EVALSHA`, as far as it may not use them.
 */
export const tryDirectly = async (
  server: ProbeConnection,
  names: ProbeNames,
  publish: PublishCommand,
  withoutScripts: readonly string[],
): Promise<DirectRights> => {
  const { lock, channels } = names;
  const first = await send(server, removing(lock));
  const canRemove = first.some(([, answer]) => !isForbidden(answer));
  const others = await send(server, canRemove ? [...harmless(lock), ...leaving(lock)] : harmless(lock));
  if (canRemove)
    await send(server, [
      ['PEXPIRE', lock, '1'],
      ['DEL', lock],
    ]);
  const published = await send(
    server,
    [...channels.keys()].map((channel): Call => [publish, channel, '0']),
  );
  const answers = [...first, ...others, ...published];
  const those = (is: (answer: Answer) => boolean): readonly string[] => [
    ...new Set(answers.filter(([, answer]) => is(answer)).map(([command]) => command)),
  ];
  const forbidden = [...those(isForbidden), ...(canRemove ? [] : leaving(lock).map(([command]) => command))];
  const deniedNames = await deniedKeys(server, names, [...withoutScripts, ...forbidden]);
  const denied = [...channels.keys()].filter((_, index) => isDenied(published[index]?.[1]));
  return {
    refused: [
      ...forbidden.map((command) => `command ${command}`),
      ...those(isUnknown).map((command) => `unknown ${command}`),
      ...(deniedNames ?? []).map((key) => `key ${key}`),
      ...denied.map((channel) => `channel ${channel}`),
    ],
    untried: deniedNames ? [] : [names.rule, ...names.keys.values()],
    isReplica: answers.some(([, answer]) => 'refusal' in answer && answer.refusal.includes('READONLY')),
  };
};

const NO_SCRIPT = scriptHash('');

/**
 * The names that this user may not use, tried with a command that it has: the server checks the right to a command first.
 * `undefined` if it has none of these commands.
 */
export const deniedKeys = async (
  server: ProbeConnection,
  { lock, keys }: ProbeNames,
  forbidden: readonly string[],
): Promise<readonly string[] | undefined> => {
  const tests: readonly ((key: string) => Call)[] = [
    (key) => ['EVALSHA', NO_SCRIPT, '1', key],
    (key) => ['EVAL', '', '1', key],
    ...['EXISTS', 'TYPE', 'PTTL', 'GET', 'HLEN', 'ZCARD', 'PERSIST', 'DEL'].map((command) => (key: string): Call => [
      command,
      key,
    ]),
  ];
  const test = tests.find((callOn) => !forbidden.includes(callOn(lock)[0]));
  if (!test) return undefined;
  const named = [lock, ...keys.keys()];
  const answers = await send(server, named.map(test));
  return named.filter((_, index) => isDenied(answers[index]?.[1]));
};
