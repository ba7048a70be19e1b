import { randomUUID } from 'node:crypto';
import type { Adapter } from './adapter.js';
import { connect } from './client.js';

// Redisson's own scripts, without the parts for waiting and retries.
const LOCK = `
if ((redis.call('exists', KEYS[1]) == 0) or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])`;

const UNLOCK = `
if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then
  return nil
end
local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if (counter > 0) then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
return 1`;

const LEASE_MS = 30_000;

/** The limit: a pair of EVALSHA over plain ioredis that lock and unlock as Redisson does, without waiting. */
export const raw: Adapter = {
  title: 'raw EVALSHA pair',
  waiting: 'none',
  hasFairLock: false,
  renews: false,
  open: async (address) => {
    const client = await connect(address);
    const [lock, unlock] = await Promise.all([client.script('LOAD', LOCK), client.script('LOAD', UNLOCK)]);
    const clientId = randomUUID();
    let owners = 0;
    return {
      acquire: async (key) => {
        const owner = `${clientId}:${++owners}`;
        const busy = await client.evalsha(String(lock), 1, key, LEASE_MS, owner);
        if (busy !== null) throw new Error(`${key} is locked`);
        const channel = `redisson_lock__channel:{${key}}`;
        return { release: () => client.evalsha(String(unlock), 2, key, channel, '0', LEASE_MS, owner) };
      },
    };
  },
};
