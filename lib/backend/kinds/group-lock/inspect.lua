--- Returns whether any of the fields is held, the hold count of the given owner if it holds all of them, and the time
--- until the last of them ends.
--- key group
--- arg owner: string
--- args fields: string
--- reply [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
--- invariant Changes nothing.
--- include kinds/shared/server-now.lua
--- include kinds/shared/group-fields.lua
local found = typeOfGroup(group)
if found == 'none' then return { 'free', '', 0, -2 } end
if found ~= 'hash' then return { 'wrong-type', found, 0, 0 } end
local now = serverNow()
local remaining = -2
for _, field in ipairs(fields) do
  local _, expiry = fieldHolder(group, field, now)
  if expiry then remaining = math.max(remaining, expiry - now) end
end
local count = 0
if holdsAll(group, fields, owner, now) then
  count = tonumber(redis.call('HGET', group, countField(fields[1], owner)) or '') or 0
end
return { remaining == -2 and 'free' or 'locked', '', count, remaining }
