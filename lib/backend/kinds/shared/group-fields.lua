--- include kinds/shared/owners.lua
--- include kinds/shared/what-is-left.lua
-- The fields of a group that store the expiry and the count of an owner's hold on one of its values.
local function expiryField(field, owner) return field .. ':' .. owner .. ':expire_time' end
local function countField(field, owner) return field .. ':' .. owner .. ':lock_count' end

-- Returns the holder of the field and the expiry of its hold; nothing if the hold has expired. An entry without a
-- number is no hold.
local function fieldHolder(group, field, now)
  local owner = redis.call('HGET', group, field)
  local expiry = owner and tonumber(redis.call('HGET', group, expiryField(field, owner)) or '')
  if expiry and expiry >= now then return owner, expiry end
end

-- Returns whether a few random fields of the hash are fields of a group: a locked value with its owner, or the expiry
-- or the count for both together.
local function onlyOfGroup(group)
  local some = redis.call('HRANDFIELD', group, 3, 'WITHVALUES')
  for i = 1, #some, 2 do
    local field = some[i]
    local named = string.match(field, '^[^:]+:(.+):expire_time$') or string.match(field, '^[^:]+:(.+):lock_count$')
    local owner = named or not string.find(field, ':', 1, true) and some[i + 1]
    if not owner or not isOwner(owner) then return false end
  end
  return true
end

-- Returns 'hash' for a group, 'none' if the key is missing, or the other type that has the name. Reads only a few
-- fields, whatever their number. Other kinds of locks are hashes as well: they delete the whole key, and our fields
-- with it.
local function typeOfGroup(group)
  local found = redis.call('TYPE', group).ok
  return found == 'hash' and not onlyOfGroup(group) and 'hash that is no lock of this kind' or found
end

-- Call it after the removal of fields: other fields, of an application, stay without the time to live that they had
-- only for the group.
local function leaveToOthers(group)
  -- The key is usually gone, and while its slot moves the server refuses to look for it.
  if redis.pcall('EXISTS', group) == 1 and not onlyOfGroup(group) then redis.call('PERSIST', group) end
end

-- Returns whether the owner holds all of the fields; false if a key of another type has taken the name.
local function holdsAll(group, fields, owner, now)
  if redis.call('TYPE', group).ok ~= 'hash' then return false end
  for _, field in ipairs(fields) do
    if fieldHolder(group, field, now) ~= owner then return false end
  end
  return true
end

-- Extends fields that an owner holds to at least `expiry`: a later expiry stays.
local function keepFields(group, fields, owner, expiry)
  for _, field in ipairs(fields) do
    local name = expiryField(field, owner)
    if (tonumber(redis.call('HGET', group, name) or '') or 0) < expiry then
      redis.call('HSET', group, name, string.format('%.0f', expiry))
    end
  end
end

-- Limits fields that an owner holds to `expiry`. Returns whether one of them would have lasted longer. The group itself
-- may outlast its fields: only their own times count.
local function shortenFields(group, fields, owner, expiry)
  local isShorter = false
  for _, field in ipairs(fields) do
    local name = expiryField(field, owner)
    if tonumber(redis.call('HGET', group, name)) > expiry then
      redis.call('HSET', group, name, string.format('%.0f', expiry))
      isShorter = true
    end
  end
  return isShorter
end

-- Extends the group to at least `lease` ms. A group that was made to last for ever stays so, since other clients may
-- rely on it.
local function keepGroup(group, lease)
  local left = redis.call('PTTL', group)
  if left ~= -1 then redis.call('PEXPIRE', group, math.max(left, lease)) end
end

-- Removes every trace of the owner's hold on the field. Returns whether it was the holder.
local function dropField(group, field, owner)
  local isHolder = ofWhatIsLeft(redis.pcall('HGET', group, field)) == owner
  local names = { expiryField(field, owner), countField(field, owner), isHolder and field or nil }
  ofWhatIsLeft(redis.pcall('HDEL', group, unpack(names)))
  return isHolder
end
