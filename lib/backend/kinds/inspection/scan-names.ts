import { globMatcher } from '../../../keys/glob.js';
import { limitPermits, permitDeadlines } from '../../../keys/redisson-keys.js';
import type { FoundName, NameSearch } from './inspection-operations.js';
import type { AskedServer, ScriptExecutor } from '../../commands/script-executor.js';
import { unexpectedReply } from '../../connection/reply-errors.js';

/** Sorted sets beside the name of what they store: the permits of a limit, and those of a semaphore that are in use. */
const COMPANIONS = [
  { what: 'limit', suffix: ':limit', keyOf: limitPermits },
  { what: 'permits', suffix: ':timeout', keyOf: permitDeadlines },
] as const;

/** The name in a key that ends with a suffix; `undefined`: there is none. */
const nameBeside = (key: string, suffix: string, keyOf: (name: string) => string): string | undefined => {
  if (!key.endsWith(suffix)) return undefined;
  const stem = key.slice(0, -suffix.length);
  // The braces are those of the name only if there is more than what they enclose.
  const bare = stem.startsWith('{') && stem.endsWith('}') ? [stem.slice(1, -1)] : [];
  const names = [...bare, stem, stem.replace(/:$/, '')];
  return names.find((name) => name !== '' && keyOf(name) === key);
};

/** The aim of one pass over the keys of a server. */
interface Pass {
  readonly type: 'hash' | 'zset';
  readonly match: string;
  readonly read: (key: string) => readonly FoundName[];
}

const passesOf = (pattern: string): readonly Pass[] => {
  const matches = globMatcher(pattern);
  return [
    { type: 'hash', match: pattern, read: (key) => [{ name: key, key, what: 'lock' }] },
    {
      type: 'zset',
      // `:limit` and `:timeout`, which are told apart afterwards.
      match: '*:[lt]im*t',
      read: (key) =>
        COMPANIONS.flatMap(({ what, suffix, keyOf }) => {
          const name = nameBeside(key, suffix, keyOf);
          return name !== undefined && matches(name) ? [{ name, key, what }] : [];
        }),
    },
  ];
};

/** The cursor of the next command, and the keys. */
const readPage = (reply: unknown): readonly [string, readonly string[]] => {
  const [cursor, keys]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof cursor !== 'string' || !Array.isArray(keys)) throw unexpectedReply(reply);
  return [cursor, keys.map(String)];
};

async function* scan(server: AskedServer, deadline: () => number, { type, match }: Pass, batch: number) {
  let cursor = '0';
  do {
    const until = deadline();
    await server.whenConnected(until);
    const from = cursor;
    const command = ['SCAN', from, 'MATCH', match, 'COUNT', String(batch), 'TYPE', type] as const;
    const reply = await server.send(command, until);
    const [next, keys] = readPage(reply);
    cursor = next;
    yield keys;
  } while (cursor !== '0');
}

/** The names of locks, limits and semaphores on all masters, by SCAN: no command looks at more than `batch` keys. */
export async function* scanNames(
  commands: ScriptExecutor,
  deadline: () => number,
  { pattern, batch }: NameSearch,
): AsyncGenerator<readonly FoundName[]> {
  const servers = await commands.masters(deadline());
  for (const pass of passesOf(pattern)) {
    for (const server of servers) {
      for await (const keys of scan(server, deadline, pass, batch)) {
        const found = keys.flatMap(pass.read);
        // Without any, an iteration that was given up would not end before the last key.
        yield found;
      }
    }
  }
}
