--- include kinds/shared/foreign-type.lua
-- Returns the hold count of `owner`; 0 if it does not hold the lock, also because a key of another type has taken the
-- name.
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then count = not foreignType(lock) and redis.call('HGET', lock, owner) end
  return tonumber(count or '0') or 0
end
