import type { Redis } from 'ioredis';

/** One key as stored on a server. Binary members are spelled `hex:…`; zsets are by member, with their scores. */
export interface RedisValue {
  readonly type: string;
  readonly value: string | readonly string[] | Readonly<Record<string, string>>;
  /** The time to live, ms; -1 without an end. */
  readonly ttl: number;
}

export type RedisData = Readonly<Record<string, RedisValue>>;

const BINARY_MEMBER_BYTES = 16;

const spell = (member: Buffer): string => {
  const text = member.toString('utf8');
  const isText = member.length !== BINARY_MEMBER_BYTES && Buffer.from(text).equals(member);
  return isText ? text : `hex:${member.toString('hex')}`;
};

const readValue = async (redis: Redis, name: string, type: string): Promise<RedisValue['value']> => {
  if (type === 'string') return (await redis.get(name)) ?? '';
  if (type === 'list') return redis.lrange(name, 0, -1);
  if (type === 'hash') return { ...(await redis.hgetall(name)) };
  const flat = (await redis.zrangeBuffer(name, '0', '-1', 'WITHSCORES')).map((part) => Buffer.from(part));
  const members = flat.filter((_, index) => index % 2 === 0).map(spell);
  return Object.fromEntries(members.map((member, index) => [member, String(flat[2 * index + 1])]));
};

/** All keys of a server. */
export const readRedis = async (redis: Redis): Promise<RedisData> => {
  const entries = (await redis.keys('*')).map(async (name) => {
    const type = await redis.type(name);
    return [name, { type, value: await readValue(redis, name, type), ttl: await redis.pttl(name) }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
};

/** Runs set-up commands on a server. */
export const arrangeRedis = async (redis: Redis, commands: readonly string[]): Promise<void> => {
  for (const command of commands) {
    const [name = '', ...args] = command.split(' ');
    const binary = args.map((arg) => (arg.startsWith('hex:') ? Buffer.from(arg.slice(4), 'hex') : arg));
    await redis.call(name, ...binary);
  }
};
