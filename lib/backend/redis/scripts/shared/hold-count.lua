-- How often `owner` holds the lock, 0 where it does not; or nil and the type found, where the key is no lock at all.
local function holdCount(lock, owner)
  local count = redis.pcall('HGET', lock, owner)
  if type(count) == 'table' then
    local found = redis.call('TYPE', lock).ok
    -- Not for its type: the user may lack the right to HGET. Then that is what the server is to say.
    if found == 'hash' or found == 'none' then redis.call('HGET', lock, owner) end
    return nil, found
  end
  -- A read-write lock has owners of its own, and a field that no other lock has.
  if not count and redis.call('HGET', lock, 'mode') then return nil, 'hash of a read-write lock' end
  return tonumber(count or '0')
end
