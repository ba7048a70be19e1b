import type { HeldLock } from '../../../lib/backend/memory/lock.js';
import type { MemoryStore } from '../../../lib/backend/memory/store.js';
import type { RedisData, RedisValue } from './redis-data.js';

type Value = Omit<RedisValue, 'ttl'>;

/** How the values of one memory table look as keys of a server. */
export interface Codec {
  /** That of the table. */
  readonly type: string;
  /** Whether the key of a server belongs into the table. */
  matches(name: string, value: Value): boolean;
  toRedis(value: unknown): Value;
  fromRedis(value: Value): unknown;
}

const fieldsOf = ({ value }: Value): Readonly<Record<string, string>> => {
  if (typeof value === 'string' || Array.isArray(value)) throw new Error('Not a hash or a zset');
  return value as Readonly<Record<string, string>>;
};

const lock: Codec = {
  type: 'hash',
  matches: (_, value) => value.type === 'hash' && !('mode' in fieldsOf(value)),
  toRedis: (value) => {
    const { owner, count } = value as HeldLock;
    return { type: 'hash', value: { [owner]: String(count) } };
  },
  fromRedis: (value) => {
    const [[owner, count] = ['', '0']] = Object.entries(fieldsOf(value));
    return { owner, count: Number(count) } satisfies HeldLock;
  },
};

/** The first that matches a key counts. */
const codecs: readonly Codec[] = [lock];

/** Everything in a memory, as it would lie on a server. */
export const readMemory = (store: MemoryStore): RedisData =>
  Object.fromEntries(
    store.names().map((name) => {
      const entry = store.entry(name);
      const codec = codecs.find(({ type }) => type === entry?.type);
      if (!entry || !codec) throw new Error(`No codec for ${entry?.type} under ${name}`);
      return [name, { ...codec.toRedis(entry.value), ttl: store.remaining(name) }];
    }),
  );

/** Puts what lies on a server into a memory. */
export const arrangeMemory = (store: MemoryStore, data: RedisData): void => {
  for (const [name, value] of Object.entries(data)) {
    const codec = codecs.find((candidate) => candidate.matches(name, value));
    if (!codec) throw new Error(`No codec for the ${value.type} ${name}`);
    const ttl = value.ttl < 0 ? Number.POSITIVE_INFINITY : value.ttl;
    store.set(name, codec.type, codec.fromRedis(value), ttl);
  }
};
