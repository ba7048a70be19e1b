-- Where a group keeps until when, and how often, an owner holds one of its fields.
local function expiryField(field, owner) return field .. ':' .. owner .. ':expire_time' end
local function countField(field, owner) return field .. ':' .. owner .. ':lock_count' end

-- Who holds the field and until when; nothing where nobody does any more. An entry without a number is no hold.
local function fieldHolder(group, field, now)
  local owner = redis.call('HGET', group, field)
  local expiry = owner and tonumber(redis.call('HGET', group, expiryField(field, owner)) or '')
  if expiry and expiry >= now then return owner, expiry end
end

-- 'hash' for a group, 'none' where there is none, or what else has the name. Other kinds of locks are hashes as well: of
-- one field, or with a mode. They delete the whole key, and our fields with it.
local function typeOfGroup(group)
  local found = redis.call('TYPE', group).ok
  if found ~= 'hash' then return found end
  if redis.call('HLEN', group) == 1 or redis.call('HGET', group, 'mode') then return 'hash of another kind of lock' end
  return found
end

-- Whether the owner holds all of the fields; not where something else has taken the name.
local function holdsAll(group, fields, owner, now)
  if typeOfGroup(group) ~= 'hash' then return false end
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
  redis.call('HDEL', group, expiryField(field, owner), countField(field, owner))
  local isHolder = redis.call('HGET', group, field) == owner
  if isHolder then redis.call('HDEL', group, field) end
  return isHolder
end
