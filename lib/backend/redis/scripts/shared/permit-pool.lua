--- include shared/count-under.lua
-- What a permit-expirable semaphore has: permits that are available (none where it was never set), and permits that are
-- out. Or nil, which of its keys is something else, and what that is.
local function permitPool(permits, deadlines)
  local available, found = countUnder(permits)
  if not available then return nil, 'wrong-type', found end
  local kind = redis.call('TYPE', deadlines).ok
  if kind ~= 'none' and kind ~= 'zset' then return nil, 'wrong-deadlines', kind end
  return { isSet = found ~= 'none', available = available, out = redis.call('ZCARD', deadlines) }
end
