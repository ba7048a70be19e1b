--- include shared/owners.lua
-- Who holds an exclusive lock, and how often: its hash has one field, the owner, and the count as its value. '' and 0 where
-- there is no key; or nil and what was found, where the key is no such lock. One field is read, however many there are, and
-- its value only where the field is an owner.
local function soleHold(lock)
  local size = redis.pcall('HLEN', lock)
  if type(size) == 'table' then
    local found = redis.call('TYPE', lock).ok
    -- Not for its type: the user may lack the right to HLEN. Then that is what the server is to say.
    if found == 'hash' or found == 'none' then redis.call('HLEN', lock) end
    return nil, found
  end
  if size == 0 then return '', 0 end
  if size == 1 then
    local owner = redis.call('HKEYS', lock)[1]
    local count = owner and isOwner(owner) and countIn(redis.call('HGET', lock, owner))
    if count then return owner, count end
  end
  local mode = redis.call('HGET', lock, 'mode')
  return nil, (mode == 'read' or mode == 'write') and 'hash of a read-write lock' or 'hash that is no lock of this kind'
end
