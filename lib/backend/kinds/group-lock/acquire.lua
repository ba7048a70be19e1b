--- Acquires fields of a group for a new owner: all of them or none.
--- key group
--- arg owner: string
--- arg lease: number
--- arg notAfter: number
--- args fields: string
--- reply [outcome: 'acquired' | 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
--- grants
--- invariant Repeating the request has one effect: an owner that has the fields gets the same answer, and is counted
---   once.
--- invariant The group lasts as long as its longest hold, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/group-fields.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end

local found = typeOfGroup(group)
if found ~= 'hash' and found ~= 'none' then return { 'wrong-type', 0, found, now } end

local latest, latestHolder
for _, field in ipairs(fields) do
  local holder, expiry = fieldHolder(group, field, now)
  if holder and holder ~= owner and expiry > (latest or now) then latest, latestHolder = expiry, holder end
end
if latest then return { 'busy', latest - now, latestHolder, now } end

for _, field in ipairs(fields) do
  local before = redis.call('HGET', group, field)
  redis.call('HSET', group, field, owner, countField(field, owner), 1)
  -- Fields left by an expired holder would be counted when that owner comes back. They are removed after the new hold
  -- is in: a hash that is empty for a moment loses its time to live.
  if before and before ~= owner then dropField(group, field, before) end
end
keepFields(group, fields, owner, now + lease)

-- 0 in the last millisecond of the group, in which its last field is already free.
local left = redis.call('PTTL', group)
if found == 'none' or (left >= 0 and left < lease) then
  local limited = redis.pcall('PEXPIRE', group, lease)
  -- Like a single lock, fields always have a time to live.
  if type(limited) == 'table' then
    for _, field in ipairs(fields) do dropField(group, field, owner) end
    return limited
  end
end
return { 'acquired', lease, '', now }
