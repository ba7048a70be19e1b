import type { Redis } from 'ioredis';

const INSIDE = 'audit:inside';
const FIGURES = 'audit:figures';
const EXCESSES = 'audit:excesses';

const NOW = `
  local seconds, micros = unpack(redis.call('TIME'))
  local now = seconds * 1000 + math.floor(micros / 1000)
`;

/** A call that has lasted for longer than a lease without a renewal is not counted: its permit has ended. */
const ENTER = `${NOW}
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  local inside = redis.call('ZCOUNT', KEYS[1], now - ARGV[3], '+inf')
  local limit = tonumber(ARGV[2])
  redis.call('HINCRBY', KEYS[2], 'calls', 1)
  if inside == limit then redis.call('HSET', KEYS[2], 'full', now) end
  if inside > limit then
    redis.call('RPUSH', KEYS[3], now .. ': ' .. table.concat(redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), ' '))
  end
`;

const REMOVE = `
  local removed = 0
  for _, caller in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if string.find(caller, ARGV[1] .. ':', 1, true) == 1 then removed = removed + redis.call('ZREM', KEYS[1], caller) end
  end
  return removed
`;

/** Counts the callers inside, of all processes, by scripts: so the server's order decides how many there are at once. */
export const callersInside = (admin: Redis, lease: number) => ({
  enter: (caller: string, limit: number): Promise<unknown> =>
    admin.eval(ENTER, 3, INSIDE, FIGURES, EXCESSES, caller, limit, lease),

  leave: (caller: string): Promise<unknown> => admin.zrem(INSIDE, caller),

  /** Resolves with the processes that have callers inside. */
  processes: async (): Promise<readonly number[]> =>
    (await admin.zrange(INSIDE, '0', '-1')).map((caller) => Number(caller.split(':')[0])),

  /** Removes the callers of a process that has ended, and resolves with their number. */
  remove: async (pid: number): Promise<number> => Number(await admin.eval(REMOVE, 1, INSIDE, pid)),

  /** The number of calls so far, and the instant at which the limit was reached last, ms on the server's clock. */
  figures: async (): Promise<{ readonly calls: number; readonly full: number }> => {
    const { calls = '0', full = '0' } = await admin.hgetall(FIGURES);
    return { calls: Number(calls), full: Number(full) };
  },

  /** The first moments with more callers inside than the limit: when, and each caller with the instant of its entry. */
  excesses: (): Promise<string[]> => admin.lrange(EXCESSES, 0, 4),

  now: async (): Promise<number> => {
    const [seconds, micros] = await admin.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  },
});
