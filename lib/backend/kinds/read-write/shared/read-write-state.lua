--- include kinds/read-write/shared/read-write-mode.lua
--- include kinds/shared/owners.lua
-- Returns the owner in a field of a read-write lock: the field itself for a reader, the field without `:write` for a
-- writer; nil for any other field.
local function ownerIn(field)
  if isOwner(field) then return field end
  local owner = string.gsub(field, ':write', '', 1)
  return isOwner(owner) and owner or nil
end

-- Returns `read` or `write`, and one of the holders; '' if the lock is free. Returns nil and the type found if the key
-- is no read-write lock. Reads only a few fields, whatever their number.
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
  -- Beside the mode, a writer has at most two fields, one for each half.
  if not holder or (mode == 'write' and #some > 6) then return nil, foreign end
  return mode, holder
end
