--- include kinds/shared/foreign-type.lua
--- include kinds/shared/keep-fields.lua
-- Removes the hold of `owner` from an exclusive lock, and with it the key. Returns false if the owner holds nothing, also
-- because a key of another type has taken the name.
local function dropHold(lock, owner)
  local dropped = redis.pcall('HDEL', lock, owner)
  if type(dropped) == 'table' then dropped = foreignType(lock) and 0 or redis.call('HDEL', lock, owner) end
  if dropped == 0 then return false end
  keepFields(lock)
  return true
end
