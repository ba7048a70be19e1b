--- include shared/owners.lua
--- include shared/what-is-left.lua
-- Where a group keeps until when, and how often, an owner holds one of its fields.
local function expiryField(field, owner) return field .. ':' .. owner .. ':expire_time' end
local function countField(field, owner) return field .. ':' .. owner .. ':lock_count' end

-- Who holds the field and until when; nothing where nobody does any more. An entry without a number is no hold.
local function fieldHolder(group, field, now)
  local owner = redis.call('HGET', group, field)
  local expiry = owner and tonumber(redis.call('HGET', group, expiryField(field, owner)) or '')
  if expiry and expiry >= now then return owner, expiry end
end

-- Whether a few fields of the hash, whichever they are, are fields of a group: a value that is locked, with its owner; and
-- under both together until when, and how often.
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

-- 'hash' for a group, 'none' where there is none, or what else has the name, told by few fields, however many there are.
-- Other kinds of locks are hashes as well: they delete the whole key, and our fields with it.
local function typeOfGroup(group)
  local found = redis.call('TYPE', group).ok
  return found == 'hash' and not onlyOfGroup(group) and 'hash that is no lock of this kind' or found
end

-- To be called when fields were given up: what an application has put into the hash stays, without the end that only the
-- group gave it.
local function leaveToOthers(group)
  -- Mostly it is gone, which a moving slot takes for being elsewhere.
  if redis.pcall('EXISTS', group) == 1 and not onlyOfGroup(group) then redis.call('PERSIST', group) end
end

-- Whether the owner holds all of the fields; not where something else has taken the name.
local function holdsAll(group, fields, owner, now)
  if redis.call('TYPE', group).ok ~= 'hash' then return false end
  for _, field in ipairs(fields) do
    if fieldHolder(group, field, now) ~= owner then return false end
  end
  return true
end

-- Lets fields that an owner holds last at least until `expiry`: what is later stays.
local function keepFields(group, fields, owner, expiry)
  for _, field in ipairs(fields) do
    local name = expiryField(field, owner)
    if (tonumber(redis.call('HGET', group, name) or '') or 0) < expiry then
      redis.call('HSET', group, name, string.format('%.0f', expiry))
    end
  end
end

-- Lets the group last at least `lease` ms. One that was made to last for ever goes on doing so, since others may rely on it.
local function keepGroup(group, lease)
  local left = redis.call('PTTL', group)
  if left ~= -1 then redis.call('PEXPIRE', group, math.max(left, lease)) end
end

-- Forgets that the owner ever held the field. Returns whether it was the holder.
local function dropField(group, field, owner)
  local isHolder = ofWhatIsLeft(redis.pcall('HGET', group, field)) == owner
  local names = { expiryField(field, owner), countField(field, owner), isHolder and field or nil }
  ofWhatIsLeft(redis.pcall('HDEL', group, unpack(names)))
  return isHolder
end
