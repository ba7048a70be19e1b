--- Acquires a permit for each of the new `ids`, or none. Before that, returns as many expired permits to the pool as
--- are wanted.
--- key permits
--- key deadlines
--- arg lease: number
--- arg notAfter: number
--- arg channel: string
--- arg publish: string
--- args ids: string
--- reply [outcome: 'acquired' | 'busy' | 'not-set' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string,
---   now: number, available: number, remaining: number]
--- grants
--- invariant Repeating the request has one effect: permits in use are not counted again.
--- invariant Permits leave the pool before they are recorded as in use, so that there are never too many.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/from-hex.lua
--- include kinds/permits/shared/permit-pool.lua
--- include kinds/permits/shared/no-deadline.lua
--- include kinds/permits/shared/sweep-permits.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now, 0, 0 } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now, 0, 0 } end
if redis.call('ZSCORE', deadlines, fromHex(ids[1])) then return { 'acquired', '', now, pool.available, 0 } end

local swept = sweepPermits(permits, deadlines, channel, publish, now, #ids)
local available = pool.available + swept
if available < #ids then
  local below = string.format('(%.0f', NO_DEADLINE)
  local nearest = redis.call('ZRANGEBYSCORE', deadlines, 0, below, 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local remaining = nearest and math.max(0, math.ceil(tonumber(nearest) - now)) or -1
  return { (pool.isSet or swept > 0) and 'busy' or 'not-set', '', now, available, remaining }
end

redis.call('DECRBY', permits, #ids)
-- A lease below zero means no lease.
local deadline = lease < 0 and NO_DEADLINE or now + lease
for i, id in ipairs(ids) do
  -- While a slot moves, a set that the sweep has emptied cannot be created again here.
  local refused = redis.pcall('ZADD', deadlines, deadline, fromHex(id))
  if type(refused) == 'table' then
    redis.call('INCRBY', permits, #ids - i + 1)
    return refused
  end
end
local ttl = redis.call('PTTL', permits)
if ttl >= 0 then redis.call('PEXPIRE', deadlines, ttl) end
return { 'acquired', '', now, available - #ids, 0 }
