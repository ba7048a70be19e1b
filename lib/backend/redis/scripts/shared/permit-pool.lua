--- include shared/count-under.lua
-- What a permit-expirable semaphore has: permits that are available (none where it was never set), and permits that are
-- out. Or nil, which of its keys is something else, and what that is.
local function permitPool(permits, deadlines)
  local available, found = countUnder(permits)
  if not available then return nil, 'wrong-type', found end
  local out = redis.pcall('ZCARD', deadlines)
  if type(out) == 'table' then return nil, 'wrong-deadlines', redis.call('TYPE', deadlines).ok end
  return { isSet = found ~= 'none', available = available, out = out }
end
