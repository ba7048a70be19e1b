--- include shared/foreign-type.lua
-- Removes the hold of `owner` from an exclusive lock, and with it the key. Fields that an application has put into the
-- hash meanwhile stay, without the time to live that they had only for the lock. Returns false if the owner holds
-- nothing, also because a key of another type has taken the name.
local function dropHold(lock, owner)
  local dropped = redis.pcall('HDEL', lock, owner)
  if type(dropped) == 'table' then dropped = foreignType(lock) and 0 or redis.call('HDEL', lock, owner) end
  if dropped == 0 then return false end
  -- The key is usually gone, and while its slot moves the server refuses to look for it. A read-write lock of Redisson,
  -- which may have such a hold in its hash, keeps its own time to live.
  if redis.pcall('EXISTS', lock) == 1 and not redis.call('HGET', lock, 'mode') then redis.call('PERSIST', lock) end
  return true
end
