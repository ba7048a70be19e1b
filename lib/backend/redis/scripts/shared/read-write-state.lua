--- include shared/read-write-mode.lua
--- include shared/owners.lua
-- The owner that a field of a read-write lock is about: of a reader its own name, of a writer with `:write` in it. nil
-- where it is about none.
local function ownerIn(field)
  if isOwner(field) then return field end
  local owner = string.gsub(field, ':write', '', 1)
  return isOwner(owner) and owner or nil
end

-- `read` or `write`, and one of those who hold the lock; '' where nobody does. Or nil and what was found, where the key is
-- no read-write lock. Few fields are read, however many there are.
local function modeOf(lock)
  local foreign = 'hash that is no lock of this kind'
  local mode = modeField(lock)
  if not mode then
    local found = redis.call('TYPE', lock).ok
    if found == 'none' then return '' end
    return nil, found == 'hash' and foreign or found
  end
  local some = redis.call('HRANDFIELD', lock, 4, 'WITHVALUES')
  local holder
  for i = 1, #some, 2 do
    if some[i] ~= 'mode' then
      local owner = ownerIn(some[i])
      if not owner or not countIn(some[i + 1]) then return nil, foreign end
      holder = holder or owner
    end
  end
  -- Of one who writes there are two fields beside the mode at most, one for each half.
  if not holder or (mode == 'write' and #some > 6) then return nil, foreign end
  return mode, holder
end
