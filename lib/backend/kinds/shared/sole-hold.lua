--- include kinds/shared/owners.lua
-- Returns the holder of an exclusive lock, and its hold count: the hash has one field, the owner, with the count as its
-- value. Returns '' and 0 if there is no key; nil and the type found if the key is no such lock. Reads one field,
-- whatever their number, and its value only if the field is an owner.
local function soleHold(lock)
  local size = redis.pcall('HLEN', lock)
  if type(size) == 'table' then
    local found = redis.call('TYPE', lock).ok
    -- The type is right, so the command failed for another reason, such as a missing right. The server reports it again
    -- here.
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
