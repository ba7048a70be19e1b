import { globOf } from '../../keys/glob.js';

/** Rights that a user needs. */
interface AclNeeds {
  readonly keyPrefix: string;
  readonly isCluster: boolean;
  /** Whether it selects another database than 0. */
  readonly usesDatabase: boolean;
}

const NOTHING = ['resetkeys', 'resetchannels', '-@all'];
const DIRECT = ['evalsha', 'eval', 'subscribe', 'unsubscribe', 'ping', 'time', 'info'];
/** The commands of all scripts. */
const IN_SCRIPTS =
  'decr decrby del exists get hdel hget hgetall hincrby hkeys hlen hrandfield hset incr incrby lindex lpop lrange lrem ' +
  'persist pexpire pttl publish pubsub rpush set type zadd zcard zcount zpopmin zrangebyscore zrem zremrangebyscore ' +
  'zrevrange zscore';
const IN_CLUSTER = ['asking', 'cluster|slots', 'cluster|info', 'ssubscribe', 'sunsubscribe', 'spublish'];

const allowed = (commands: readonly string[]): readonly string[] => commands.map((command) => `+${command}`);

const patterns = (keyPrefix: string): readonly string[] => {
  if (keyPrefix === '') return ['~*', '&redisson_*'];
  const prefix = globOf(keyPrefix);
  // A name with braces of its own gets none.
  const inBraces = keyPrefix.includes('{') ? [] : [`~{${prefix}*`];
  return [`~${prefix}*`, ...inBraces, `~redisson_*${prefix}*`, `&redisson_*${prefix}*`];
};

/** The rules for ACL SETUSER of a user that may use every kind of lock, and nothing more. */
export const aclRules = ({ keyPrefix, isCluster, usesDatabase }: AclNeeds): readonly string[] => [
  ...NOTHING,
  ...patterns(keyPrefix),
  ...allowed(DIRECT),
  ...allowed(IN_SCRIPTS.split(' ')),
  ...(isCluster ? allowed(IN_CLUSTER) : []),
  ...(usesDatabase ? allowed(['select']) : []),
];

/** The rules for a user of the Sentinels, by which clients find the master. */
export const SENTINEL_ACL_RULES: readonly string[] = [
  ...NOTHING,
  '&+switch-master',
  ...allowed(['subscribe', 'sentinel|sentinels', 'sentinel|get-master-addr-by-name']),
];
