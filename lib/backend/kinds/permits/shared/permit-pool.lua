--- include kinds/shared/count-under.lua
-- Returns the state of a permit-expirable semaphore: the permits available (none if it was never set), and the permits
-- in use. Returns nil, the key with another type, and that type, if there is one.
local function permitPool(permits, deadlines)
  local available, found = countUnder(permits)
  if not available then return nil, 'wrong-type', found end
  local kind = redis.call('TYPE', deadlines).ok
  if kind ~= 'none' and kind ~= 'zset' then return nil, 'wrong-deadlines', kind end
  return { isSet = found ~= 'none', available = available, out = redis.call('ZCARD', deadlines) }
end
