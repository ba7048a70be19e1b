import { type Keyspace, scoreText } from '../../../lib/backend/memory/keyspace.js';
import type { RedisData, RedisValue } from './redis-data.js';

const BINARY_MEMBER_BYTES = 16;

/** Permits are bytes in Redis, and characters in memory. */
const spell = (member: string): string => {
  const bytes = Buffer.from(member, 'latin1');
  const isText = bytes.length !== BINARY_MEMBER_BYTES || /^[\x20-\x7e]*$/.test(member);
  return isText ? member : `hex:${bytes.toString('hex')}`;
};

const valueOf = (keyspace: Keyspace, key: string, type: string): RedisValue['value'] => {
  if (type === 'string') return keyspace.find(key, 'string') ?? '';
  if (type === 'list') return [...(keyspace.find(key, 'list') ?? [])];
  if (type === 'hash') return Object.fromEntries(keyspace.find(key, 'hash') ?? []);
  const set = keyspace.find(key, 'zset');
  return Object.fromEntries(set?.members.map((member) => [spell(member), scoreText(set.score(member) ?? 0)]) ?? []);
};

/** All keys of a keyspace, as a server has them. */
export const readKeyspace = (keyspace: Keyspace): RedisData =>
  Object.fromEntries(
    keyspace.keys().map((key) => {
      const type = keyspace.entry(key)?.type ?? 'none';
      return [key, { type, value: valueOf(keyspace, key, type), ttl: Number(keyspace.call(['PTTL', key])) }];
    }),
  );

/** Runs set-up commands in a keyspace. */
export const arrangeKeyspace = (keyspace: Keyspace, commands: readonly string[]): void => {
  for (const command of commands) {
    keyspace.call(
      command
        .split(' ')
        .map((part) => (part.startsWith('hex:') ? Buffer.from(part.slice(4), 'hex').toString('latin1') : part)),
    );
  }
};
