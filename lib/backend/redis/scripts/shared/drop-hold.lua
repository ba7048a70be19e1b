--- include shared/foreign-type.lua
-- Takes the hold of `owner` out of an exclusive lock, and with it the key. What an application has put into the hash
-- meanwhile stays, without the end that only the lock gave it. Returns false where the owner holds nothing, also because
-- something else has taken the name.
local function dropHold(lock, owner)
  local dropped = redis.pcall('HDEL', lock, owner)
  if type(dropped) == 'table' then dropped = foreignType(lock) and 0 or redis.call('HDEL', lock, owner) end
  if dropped == 0 then return false end
  -- Mostly it is gone, which a moving slot takes for being elsewhere. A read-write lock of Redisson's, which does not mind a
  -- hold in its hash, keeps its own end.
  if redis.pcall('EXISTS', lock) == 1 and not redis.call('HGET', lock, 'mode') then redis.call('PERSIST', lock) end
  return true
end
