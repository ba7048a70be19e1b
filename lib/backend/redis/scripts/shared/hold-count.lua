-- How often `owner` holds the lock, 0 where it does not; or nil and the type found, where the key is no lock at all.
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then return nil, redis.call('TYPE', lock).ok end
  -- A read-write lock has owners of its own, and a field that no other lock has.
  if not count and redis.call('HGET', lock, 'mode') then return nil, 'hash of a read-write lock' end
  return tonumber(count or '0')
end
