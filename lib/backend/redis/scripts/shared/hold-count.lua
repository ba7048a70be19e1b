--- include shared/foreign-type.lua
-- How often `owner` holds the lock; 0 where it does not, also because something else has taken the name.
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then count = not foreignType(lock) and redis.call('HGET', lock, owner) end
  return tonumber(count or '0') or 0
end
