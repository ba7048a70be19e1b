import { DriverError } from '../driver/redis-driver.js';

/** Members by score, and by their bytes if the scores are equal, as in Redis. */
class SortedSet {
  private readonly scores = new Map<string, number>();
  /** `undefined`: to be sorted. */
  private order: string[] | undefined = [];

  get size(): number {
    return this.scores.size;
  }

  score(member: string): number | undefined {
    return this.scores.get(member);
  }

  set(member: string, score: number): void {
    const before = this.scores.get(member);
    this.scores.set(member, score);
    if (before === score || !this.order) return;
    const last = before === undefined ? this.order.at(-1) : undefined;
    // Most members come last: queues, deadlines.
    const isLast = this.order.length === 0 || (last !== undefined && this.compare(last, member) < 0);
    if (before === undefined && isLast) this.order.push(member);
    else this.order = undefined;
  }

  delete(member: string): boolean {
    if (!this.scores.delete(member)) return false;
    if (this.order?.[0] === member) this.order.shift();
    else this.order = undefined;
    return true;
  }

  /** All members in order. */
  get members(): readonly string[] {
    return (this.order ??= [...this.scores.keys()].toSorted((one, other) => this.compare(one, other)));
  }

  private compare(one: string, other: string): number {
    return (this.scores.get(one) ?? 0) - (this.scores.get(other) ?? 0) || (one < other ? -1 : 1);
  }
}

/** An error with which a server replies. */
export class Refusal extends DriverError {
  constructor(message: string) {
    super('refused', message);
  }
}

/** A status reply, such as `OK`. */
export class Status {
  constructor(readonly text: string) {}
}

/** Reply of a command. */
export type Reply = string | number | null | Status | readonly Reply[];

interface Values {
  string: string;
  list: string[];
  hash: Map<string, string>;
  zset: SortedSet;
}

type Type = keyof Values;

interface Entry {
  readonly type: Type;
  value: Values[Type];
  /** Time of the keyspace; `Infinity`: none. */
  expiresAt: number;
}

const EMPTY: { readonly [T in Type]: () => Values[T] } = {
  string: () => '0',
  list: () => [],
  hash: () => new Map<string, string>(),
  zset: () => new SortedSet(),
};

/** Number of keys from which expired ones are removed. */
const SWEEP_FROM = 1000;

const refuse = (text: string): never => {
  throw new Refusal(text);
};

const integer = (text: string): number =>
  /^-?\d+$/.test(text) ? Number(text) : refuse('ERR value is not an integer or out of range');

const hashInteger = (text: string): number =>
  /^-?\d+$/.test(text) ? Number(text) : refuse('ERR hash value is not an integer');

const float = (text: string): number => {
  const number = /^[+-]?inf$/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);
  return text === '' || Number.isNaN(number) ? refuse('ERR value is not a valid float') : number;
};

/** A score as Redis replies it. */
export const scoreText = (score: number): string => {
  if (Number.isFinite(score)) return String(score);
  return score > 0 ? 'inf' : '-inf';
};

/** A part of a list by the first and the last index, which count from the end if they are negative. */
const part = <T>(all: readonly T[], from: number, to: number): readonly T[] =>
  all.slice(from < 0 ? Math.max(0, all.length + from) : from, to < 0 ? all.length + to + 1 : to + 1);

/**
 * Keys with values that may expire: the commands of Redis that the scripts of locks use, with its types, its replies and
 * the texts of its errors. Each command is executed at once, on a clock that does not move meanwhile.
 */
export class Keyspace {
  private readonly entries = new Map<string, Entry>();
  private sweepAt = SWEEP_FROM;
  /** The time in µs, which stands while a script runs. */
  private micros = 0;

  /**
   * @param now The time, ms.
   * @param messages Sends a message, and tells how many clients received it; and counts those that listen.
   * @param lastMs For how long a key exists after its end. On a server it is 1: its clock has whole ms, and a key exists
   *   throughout the last one. Default: 0, so that a test finds the end of a lease at its exact instant.
   */
  constructor(
    readonly now: () => number,
    private readonly messages: {
      publish(channel: string, message: string): number;
      receivers(channel: string): number;
    },
    private readonly lastMs = 0,
  ) {}

  /**
   * Executes a command.
   * @throws Refusal as a server replies with an error.
   */
  call([name = '', ...args]: readonly string[]): Reply {
    const command = COMMANDS[name];
    if (!command) throw new Refusal(`ERR unknown command '${name}'`);
    const [key = '', ...rest] = args;
    return command(this, key, rest);
  }

  /** Called before a script: one comes after the other, also if the clock stands. */
  tick(): void {
    const ms = Math.floor(this.now());
    this.micros = Math.max(Math.floor(this.now() * 1000), Math.min(this.micros + 1, ms * 1000 + 999));
  }

  /** The time as Redis tells it: seconds, and µs beyond them. */
  get time(): readonly string[] {
    return [String(Math.floor(this.micros / 1e6)), String(this.micros % 1e6)];
  }

  /** All keys that have not expired. */
  keys(): string[] {
    return [...this.entries.keys()].filter((key) => this.entry(key));
  }

  publish(channel: string, message: string): number {
    return this.messages.publish(channel, message);
  }

  receivers(channel: string): number {
    return this.messages.receivers(channel);
  }

  entry(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (!entry || entry.expiresAt + this.lastMs > this.now()) return entry;
    this.entries.delete(key);
    return undefined;
  }

  /** The value of a key; `undefined` if there is none. */
  find<T extends Type>(key: string, type: T): Values[T] | undefined {
    const entry = this.entry(key);
    if (entry && entry.type !== type) {
      throw new Refusal('WRONGTYPE Operation against a key holding the wrong kind of value');
    }
    return entry?.value as Values[T] | undefined;
  }

  /** The value of a key, which is created if there is none. */
  value<T extends Type>(key: string, type: T): Values[T] {
    const found = this.find(key, type);
    if (found !== undefined) return found;
    const made = EMPTY[type]();
    this.put(key, type, made, Infinity);
    return made;
  }

  put<T extends Type>(key: string, type: T, value: Values[T], expiresAt: number): void {
    if (this.entries.size >= this.sweepAt) this.sweep();
    this.entries.set(key, { type, value, expiresAt });
  }

  delete(key: string): boolean {
    return this.entry(key) !== undefined && this.entries.delete(key);
  }

  /** A value without parts is none. */
  deleteIfEmpty(key: string): void {
    const value = this.entry(key)?.value;
    const isEmpty = Array.isArray(value) ? value.length === 0 : typeof value === 'object' && value.size === 0;
    if (isEmpty) this.entries.delete(key);
  }

  /** Adds to the number under a key, which is 0 if there is none. */
  add(key: string, by: number): number {
    const sum = integer(this.find(key, 'string') ?? '0') + by;
    this.put(key, 'string', String(sum), this.entry(key)?.expiresAt ?? Infinity);
    return sum;
  }

  /** Expired keys that are never asked for again would stay for ever. At most once for each key that was written. */
  private sweep(): void {
    for (const key of this.entries.keys()) this.entry(key);
    this.sweepAt = Math.max(SWEEP_FROM, 2 * this.entries.size);
  }
}

/** The test of scores between two bounds, of which `(` excludes one itself. */
const between = (least: string, most: string): ((score: number) => boolean) => {
  const [low, high] = [float(least.replace('(', '')), float(most.replace('(', ''))];
  return (score) =>
    (least.startsWith('(') ? score > low : score >= low) && (most.startsWith('(') ? score < high : score <= high);
};

const scored = (keyspace: Keyspace, key: string, least = '-inf', most = '+inf'): readonly string[] => {
  // First, as Redis does: a bound that is no number is refused whatever the key is.
  const isBetween = between(least, most);
  const set = keyspace.find(key, 'zset');
  return set?.members.filter((member) => isBetween(set.score(member) ?? 0)) ?? [];
};

/** Members of a sorted set, each with its score if that is asked for. */
const listed = (keyspace: Keyspace, key: string, members: readonly string[], options: readonly string[]): Reply => {
  if (!options.includes('WITHSCORES')) return members;
  const set = keyspace.find(key, 'zset');
  return members.flatMap((member) => [member, scoreText(set?.score(member) ?? 0)]);
};

const count = (keys: readonly string[], has: (key: string) => boolean | undefined): number => keys.filter(has).length;

type Command = (keyspace: Keyspace, key: string, args: readonly string[]) => Reply;

const addScores: Command = (keyspace, key, args) => {
  const first = args.findIndex((arg) => !['XX', 'NX', 'INCR'].includes(arg));
  const options = args.slice(0, first);
  const texts = args.slice(first);
  const pairs = Array.from(
    { length: texts.length / 2 },
    (_, index) => [float(texts[2 * index] ?? ''), texts[2 * index + 1] ?? ''] as const,
  );
  const set = keyspace.find(key, 'zset') ?? (options.includes('XX') ? undefined : keyspace.value(key, 'zset'));
  let added = 0;
  let result: number | undefined;
  for (const [score, member] of set ? pairs : []) {
    const before = set?.score(member);
    if (before === undefined ? options.includes('XX') : options.includes('NX')) continue;
    if (before === undefined) added += 1;
    result = options.includes('INCR') ? (before ?? 0) + score : score;
    set?.set(member, result);
  }
  keyspace.deleteIfEmpty(key);
  if (!options.includes('INCR')) return added;
  return result === undefined ? null : scoreText(result);
};

const removed = (keyspace: Keyspace, key: string, members: readonly string[]): number => {
  const set = keyspace.find(key, 'zset');
  const gone = count(members, (member) => set?.delete(member));
  keyspace.deleteIfEmpty(key);
  return gone;
};

const COMMANDS: Readonly<Record<string, Command>> = {
  TIME: ({ time }) => time,
  TYPE: (keyspace, key) => new Status(keyspace.entry(key)?.type ?? 'none'),
  EXISTS: (keyspace, key, more) => count([key, ...more], (each) => keyspace.entry(each) !== undefined),
  DEL: (keyspace, key, more) => count([key, ...more], (each) => keyspace.delete(each)),
  PTTL: (keyspace, key) => {
    const entry = keyspace.entry(key);
    if (!entry) return -2;
    return entry.expiresAt === Infinity ? -1 : Math.ceil(entry.expiresAt - keyspace.now());
  },
  PEXPIRE: (keyspace, key, [ttl = '']) => {
    const ms = integer(ttl);
    const entry = keyspace.entry(key);
    if (!entry) return 0;
    if (ms <= 0) keyspace.delete(key);
    else entry.expiresAt = keyspace.now() + ms;
    return 1;
  },
  PERSIST: (keyspace, key) => {
    const entry = keyspace.entry(key);
    if (!entry || entry.expiresAt === Infinity) return 0;
    entry.expiresAt = Infinity;
    return 1;
  },
  GET: (keyspace, key) => keyspace.find(key, 'string') ?? null,
  SET: (keyspace, key, [value = '', unit, ttl = '']) => {
    keyspace.put(key, 'string', value, unit === 'PX' ? keyspace.now() + integer(ttl) : Infinity);
    return new Status('OK');
  },
  INCR: (keyspace, key) => keyspace.add(key, 1),
  DECR: (keyspace, key) => keyspace.add(key, -1),
  INCRBY: (keyspace, key, [by = '']) => keyspace.add(key, integer(by)),
  DECRBY: (keyspace, key, [by = '']) => keyspace.add(key, -integer(by)),
  HGET: (keyspace, key, [field = '']) => keyspace.find(key, 'hash')?.get(field) ?? null,
  HSET: (keyspace, key, pairs) => {
    const hash = keyspace.value(key, 'hash');
    const before = hash.size;
    for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at] ?? '', pairs[at + 1] ?? '');
    return hash.size - before;
  },
  HINCRBY: (keyspace, key, [field = '', by = '']) => {
    const sum = integer(by) + hashInteger(keyspace.find(key, 'hash')?.get(field) ?? '0');
    keyspace.value(key, 'hash').set(field, String(sum));
    return sum;
  },
  HDEL: (keyspace, key, fields) => {
    const hash = keyspace.find(key, 'hash');
    const gone = count(fields, (field) => hash?.delete(field));
    keyspace.deleteIfEmpty(key);
    return gone;
  },
  HLEN: (keyspace, key) => keyspace.find(key, 'hash')?.size ?? 0,
  HKEYS: (keyspace, key) => [...(keyspace.find(key, 'hash')?.keys() ?? [])],
  HGETALL: (keyspace, key) => [...(keyspace.find(key, 'hash') ?? [])].flat(),
  // Any fields, of which the first are some.
  HRANDFIELD: (keyspace, key, [most = '', withValues]) => {
    const some = [...(keyspace.find(key, 'hash') ?? [])].slice(0, integer(most));
    return withValues === undefined ? some.map(([field]) => field) : some.flat();
  },
  LRANGE: (keyspace, key, [from = '', to = '']) => {
    const range = [integer(from), integer(to)] as const;
    return part(keyspace.find(key, 'list') ?? [], ...range);
  },
  LINDEX: (keyspace, key, [index = '']) => keyspace.find(key, 'list')?.at(integer(index)) ?? null,
  LPOP: (keyspace, key) => {
    const first = keyspace.find(key, 'list')?.shift() ?? null;
    keyspace.deleteIfEmpty(key);
    return first;
  },
  RPUSH: (keyspace, key, values) => keyspace.value(key, 'list').push(...values),
  LREM: (keyspace, key, [most = '', value]) => {
    const list = keyspace.find(key, 'list') ?? [];
    let left = integer(most) || Infinity;
    const before = list.length;
    for (let at = 0; at < list.length && left > 0;) {
      if (list[at] === value) {
        list.splice(at, 1);
        left -= 1;
      } else at += 1;
    }
    keyspace.deleteIfEmpty(key);
    return before - list.length;
  },
  ZADD: addScores,
  ZSCORE: (keyspace, key, [member = '']) => {
    const score = keyspace.find(key, 'zset')?.score(member);
    return score === undefined ? null : scoreText(score);
  },
  ZCARD: (keyspace, key) => keyspace.find(key, 'zset')?.size ?? 0,
  ZREM: removed,
  ZPOPMIN: (keyspace, key) => {
    const set = keyspace.find(key, 'zset');
    const [first] = set?.members ?? [];
    if (first === undefined) return [];
    const score = scoreText(set?.score(first) ?? 0);
    removed(keyspace, key, [first]);
    return [first, score];
  },
  ZRANGE: (keyspace, key, [from = '', to = '', ...options]) =>
    listed(keyspace, key, part(scored(keyspace, key), integer(from), integer(to)), options),
  ZREVRANGE: (keyspace, key, [from = '', to = '', ...options]) =>
    listed(keyspace, key, part(scored(keyspace, key).toReversed(), integer(from), integer(to)), options),
  ZCOUNT: (keyspace, key, [least, most]) => scored(keyspace, key, least, most).length,
  ZRANGEBYSCORE: (keyspace, key, [least, most, ...options]) => {
    const found = scored(keyspace, key, least, most);
    const at = options.indexOf('LIMIT');
    if (at === -1) return listed(keyspace, key, found, options);
    const [from, length] = [integer(options[at + 1] ?? ''), integer(options[at + 2] ?? '')];
    return listed(keyspace, key, found.slice(from, length < 0 ? undefined : from + length), options);
  },
  ZREMRANGEBYSCORE: (keyspace, key, [least, most]) => removed(keyspace, key, scored(keyspace, key, least, most)),
  PUBLISH: (keyspace, channel, [message = '']) => keyspace.publish(channel, message),
  PUBSUB: (keyspace, _, channels) => channels.flatMap((channel) => [channel, keyspace.receivers(channel)]),
};
