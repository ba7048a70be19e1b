import type { HeldField, HeldFields } from '../../../lib/backend/memory/group-lock.js';
import type { LimitPermits } from '../../../lib/backend/memory/limit-data.js';
import type { HeldExclusiveLock } from '../../../lib/backend/memory/lock.js';
import type { HeldReadWriteLock } from '../../../lib/backend/memory/read-write/read-write-data.js';
import type { PermitDeadlines } from '../../../lib/backend/memory/permits.js';
import type { StoredResult } from '../../../lib/backend/result-store.js';
import { textOf } from '../../../lib/backend/redis/kinds/lock-scripts.js';
import type { WaitingEntry } from '../../../lib/backend/waiting-entry.js';
import type { MemoryStore } from '../../../lib/backend/memory/memory-store.js';
import type { RedisData, RedisValue } from './redis-data.js';

type Value = Omit<RedisValue, 'ttl'>;

/** The form in which the values of one memory table appear as keys of a server. */
export interface Codec {
  /** The type of those keys. */
  readonly type: string;
  /** Whether the key of a server belongs to the table. */
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
    const { owner, count } = value as HeldExclusiveLock;
    return { type: 'hash', value: { [owner]: String(count) } };
  },
  fromRedis: (value) => {
    const [[owner, count] = ['', '0']] = Object.entries(fieldsOf(value));
    return { owner, count: Number(count) } satisfies HeldExclusiveLock;
  },
};

/** Semaphores, with and without ids for their permits, and latches. */
const counter: Codec = {
  type: 'string',
  matches: (name, value) => value.type === 'string' && !/redisson_lock_token|rwlock_timeout/.test(name),
  toRedis: (value) => ({ type: 'string', value: String(value) }),
  fromRedis: ({ value }) => Number(value),
};

const fencingToken: Codec = {
  type: 'string of a fencing token',
  matches: (name, { type }) => type === 'string' && name.startsWith('redisson_lock_token:'),
  toRedis: (value) => ({ type: 'string', value: String(value) }),
  fromRedis: ({ value }) => BigInt(value as string),
};

/** Redisson's deadline of permits without a lease. */
const NO_DEADLINE = 922337203685477;

const holderRecord: Codec = {
  type: 'string of a record',
  matches: (name, { type }) => type === 'string' && name.includes(':holder:'),
  toRedis: (value) => ({ type: 'string', value: value as string }),
  fromRedis: ({ value }) => value,
};

const singleFlightResult: Codec = {
  type: 'string of a result',
  matches: (name, { type }) => type === 'string' && name.endsWith(':result'),
  toRedis: (value) => {
    const { savedAt, text } = value as StoredResult;
    return { type: 'string', value: `${savedAt}:${text}` };
  },
  fromRedis: ({ value }) => {
    const [savedAt = '', ...text] = (value as string).split(':');
    return { savedAt: Number(savedAt), text: text.join(':') } satisfies StoredResult;
  },
};

const permitDeadlines: Codec = {
  type: 'zset of permits',
  matches: (name, { type }) => type === 'zset' && name.endsWith(':timeout'),
  toRedis: (value) => {
    const spelled = [...(value as PermitDeadlines)].map(([id, deadline]) => [
      `hex:${id}`,
      String(Number.isFinite(deadline) ? deadline : NO_DEADLINE),
    ]);
    return { type: 'zset', value: Object.fromEntries(spelled) };
  },
  fromRedis: (value) => {
    const members = Object.entries(fieldsOf(value)).map(([member, score]) => {
      const deadline = Number(score) < NO_DEADLINE ? Number(score) : Number.POSITIVE_INFINITY;
      return [member.slice('hex:'.length), deadline] as const;
    });
    return new Map(members) satisfies PermitDeadlines;
  },
};

const fairQueue: Codec = {
  type: 'list',
  matches: (_, { type }) => type === 'list',
  toRedis: (value) => ({ type: 'list', value: value as readonly string[] }),
  fromRedis: ({ value }) => value,
};

const fairDeadlines: Codec = {
  type: 'zset',
  matches: (name, { type }) => type === 'zset' && name.startsWith('redisson_lock_timeout:'),
  toRedis: (value) => {
    const spelled = [...(value as ReadonlyMap<string, number>)].map(([owner, deadline]) => [owner, String(deadline)]);
    return { type: 'zset', value: Object.fromEntries(spelled) as Record<string, string> };
  },
  fromRedis: (value) => new Map(Object.entries(fieldsOf(value)).map(([owner, score]) => [owner, Number(score)])),
};

const readWriteLock: Codec = {
  type: 'hash of a read-write lock',
  matches: (_, value) => value.type === 'hash' && 'mode' in fieldsOf(value),
  toRedis: (value) => {
    const { writer, readers } = value as HeldReadWriteLock;
    const reads = [...readers].map(([owner, count]) => [owner, String(count)]);
    const writes = writer ? [[`${writer.owner}:write`, String(writer.count)]] : [];
    const fields = Object.fromEntries([...writes, ...reads]) as Record<string, string>;
    return { type: 'hash', value: { mode: writer ? 'write' : 'read', ...fields } };
  },
  fromRedis: (value) => {
    const fields = Object.entries(fieldsOf(value)).filter(([field]) => field !== 'mode');
    const [write] = fields.filter(([field]) => field.endsWith(':write'));
    const reads = fields.filter((field) => field !== write).map(([owner, count]) => [owner, Number(count)] as const);
    const writer = write && { owner: write[0].slice(0, -':write'.length), count: Number(write[1]) };
    return { writer, readers: new Map(reads) } satisfies HeldReadWriteLock;
  },
};

const readTimeout: Codec = {
  type: 'string of a read',
  matches: (name, { type }) => type === 'string' && name.includes(':rwlock_timeout:'),
  toRedis: (value) => ({ type: 'string', value: String(value) }),
  fromRedis: ({ value }) => value,
};

const waitingWriters: Codec = {
  type: 'zset of waiting writers',
  matches: (name, { type }) => type === 'zset' && name.endsWith(':rwlock_writers'),
  toRedis: (value) => fairDeadlines.toRedis(value),
  fromRedis: (value) => fairDeadlines.fromRedis(value),
};

const waitingClients: Codec = {
  type: 'zset of waiting clients',
  matches: (name, { type }) => type === 'zset' && name.endsWith(':waiters'),
  toRedis: (value) => {
    // Memory keeps the order of arrival without its instants.
    const spelled = (value as readonly WaitingEntry[]).map((entry, index) => [textOf(entry), String(index)]);
    return { type: 'zset', value: Object.fromEntries(spelled) as Record<string, string> };
  },
  fromRedis: (value) =>
    Object.keys(fieldsOf(value)).map((text): WaitingEntry => {
      const [owner = '', lease, firstLease] = text.split(' ');
      return { owner, lease: Number(lease), firstLease: Number(firstLease) };
    }),
};

const blockedHolds: Codec = {
  type: 'zset of blocked holds',
  matches: (name, { type }) => type === 'zset' && name.endsWith(':blocked'),
  toRedis: (value) => fairDeadlines.toRedis(value),
  fromRedis: (value) => fairDeadlines.fromRedis(value),
};

const groupLock: Codec = {
  type: 'hash of a group lock',
  matches: (_, value) =>
    value.type === 'hash' && Object.keys(fieldsOf(value)).some((name) => name.endsWith(':expire_time')),
  toRedis: (value) => {
    const spelled = [...(value as HeldFields)].map(([field, { owner, count, expiry }]) => ({
      [field]: owner,
      [`${field}:${owner}:expire_time`]: String(expiry),
      [`${field}:${owner}:lock_count`]: String(count),
    }));
    return { type: 'hash', value: Object.assign({}, ...spelled) as Record<string, string> };
  },
  fromRedis: (value) => {
    const spelled = fieldsOf(value);
    const held = Object.entries(spelled).filter(([field]) => !field.includes(':'));
    const of = (field: string, owner: string): HeldField => ({
      owner,
      count: Number(spelled[`${field}:${owner}:lock_count`]),
      expiry: Number(spelled[`${field}:${owner}:expire_time`]),
    });
    return new Map(held.map(([field, owner]) => [field, of(field, owner)])) satisfies HeldFields;
  },
};

const limit: Codec = {
  type: 'zset of a limit',
  matches: (name, { type }) => type === 'zset' && name.endsWith(':limit'),
  toRedis: (value) => {
    const { limit: most, deadlines, places } = value as LimitPermits;
    const permits = [...deadlines].map(([owner, deadline]) => [owner, String(deadline)]);
    const waiters = [...places].flatMap(([owner, { at, until }]) => [
      [`place ${owner}`, String(at)],
      [`until ${owner}`, String(-until)],
    ]);
    const spelled = Object.fromEntries([...permits, ...waiters]) as Record<string, string>;
    return { type: 'zset', value: { limit: String(most), ...spelled } };
  },
  fromRedis: (value) => {
    const { limit: most, ...members } = fieldsOf(value);
    const scores = Object.entries(members).map(([member, score]) => [member, Number(score)] as const);
    const places = scores
      .filter(([member]) => member.startsWith('place '))
      .toSorted(([, a], [, b]) => a - b)
      .map(([member, at]) => {
        const owner = member.slice('place '.length);
        return [owner, { at, until: -Number(members[`until ${owner}`]) }] as const;
      });
    const deadlines = scores.filter(([, score]) => score > 0);
    return { limit: Number(most), deadlines: new Map(deadlines), places: new Map(places) } satisfies LimitPermits;
  },
};

/** The first codec that matches a key is used. */
const codecs: readonly Codec[] = [
  permitDeadlines,
  fencingToken,
  singleFlightResult,
  holderRecord,
  groupLock,
  lock,
  counter,
  fairQueue,
  fairDeadlines,
  readWriteLock,
  readTimeout,
  waitingWriters,
  waitingClients,
  blockedHolds,
  limit,
];

/** The content of a memory in the form of keys on a server. */
export const readMemory = (store: MemoryStore): RedisData =>
  Object.fromEntries(
    store.names().map((name) => {
      const entry = store.entry(name);
      const codec = codecs.find(({ type }) => type === entry?.type);
      if (!entry || !codec) throw new Error(`No codec for ${entry?.type} under ${name}`);
      return [name, { ...codec.toRedis(entry.value), ttl: store.remaining(name) }];
    }),
  );

/** Stores keys of a server in a memory. */
export const arrangeMemory = (store: MemoryStore, data: RedisData): void => {
  for (const [name, value] of Object.entries(data)) {
    const codec = codecs.find((candidate) => candidate.matches(name, value));
    if (!codec) throw new Error(`No codec for the ${value.type} ${name}`);
    const ttl = value.ttl < 0 ? Number.POSITIVE_INFINITY : value.ttl;
    store.set(name, codec.type, codec.fromRedis(value), ttl);
  }
};
