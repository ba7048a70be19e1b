--- Ends the holds of whoever has one of the fields and wakes the waiters.
--- key group
--- arg channel: string
--- arg publish: string
--- args fields: string
--- reply [outcome: 'released' | 'not-held' | 'wrong-type', detail: string]
--- invariant Only fields of a group are deleted, never a key of another type.
--- include shared/group-fields.lua
local found = typeOfGroup(group)
if found == 'none' then return { 'not-held', '' } end
if found ~= 'hash' then return { 'wrong-type', found } end
local freed = false
for _, field in ipairs(fields) do
  local holder = redis.call('HGET', group, field)
  if holder then freed = dropField(group, field, holder) or freed end
end
if freed then redis.pcall(publish, channel, '0') end
return { freed and 'released' or 'not-held', '' }
