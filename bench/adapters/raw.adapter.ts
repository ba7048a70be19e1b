import { randomUUID } from 'node:crypto';
import type { Adapter } from './adapter.js';
import { connect } from './client.js';

const LEASE_MS = 30_000;

/** Two scripts over plain ioredis, without waiting. Arguments of both: lease, owner. */
interface Scripts {
  readonly lock: string;
  readonly unlock: string;
  /** Keys of `unlock`. */
  readonly keysOf: (key: string) => readonly string[];
}

const adapterOf = (title: string, { lock, unlock, keysOf }: Scripts): Adapter => ({
  title,
  waiting: 'none',
  hasFairLock: false,
  renews: false,
  open: async (address) => {
    const client = await connect(address);
    const [locking, unlocking] = await Promise.all([client.script('LOAD', lock), client.script('LOAD', unlock)]);
    const clientId = randomUUID();
    let owners = 0;
    return {
      acquire: async (key) => {
        const owner = `${clientId}:${++owners}`;
        const busy = await client.evalsha(String(locking), 1, key, LEASE_MS, owner);
        if (busy !== null) throw new Error(`${key} is locked`);
        const keys = keysOf(key);
        return { release: () => client.evalsha(String(unlocking), keys.length, ...keys, LEASE_MS, owner) };
      },
    };
  },
});

/** The limit: the least that a lock with an owner needs, three commands in two EVALSHA. */
export const raw = adapterOf('raw EVALSHA pair', {
  lock: `
if redis.call('set', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[1]) then
  return nil
end
return redis.call('pttl', KEYS[1])`,
  unlock: `
if redis.call('get', KEYS[1]) == ARGV[2] then
  return redis.call('del', KEYS[1])
end
return nil`,
  keysOf: (key) => [key],
});

/** Redisson's own scripts, without the parts for waiting and retries: seven commands in two EVALSHA. */
export const rawRedisson = adapterOf("Redisson's scripts, raw", {
  lock: `
if ((redis.call('exists', KEYS[1]) == 0) or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])`,
  unlock: `
if (redis.call('hexists', KEYS[1], ARGV[2]) == 0) then
  return nil
end
local counter = redis.call('hincrby', KEYS[1], ARGV[2], -1)
if (counter > 0) then
  redis.call('pexpire', KEYS[1], ARGV[1])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], '0')
return 1`,
  keysOf: (key) => [key, `redisson_lock__channel:{${key}}`],
});
