--- Ends the holds of all owners of the given fields and wakes the waiters.
--- key group
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- args fields: string
--- reply [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Deletes only fields of a group, never a key of another type.
--- invariant Nothing happens after `notAfter` on the server's clock: by then another owner may hold the lock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/group-fields.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local found = typeOfGroup(group)
if found == 'none' then return { 'not-held', '', now } end
if found ~= 'hash' then return { 'wrong-type', found, now } end
local freed = false
for _, field in ipairs(fields) do
  local holder = ofWhatIsLeft(redis.pcall('HGET', group, field))
  if holder then freed = dropField(group, field, holder) or freed end
end
if freed then
  leaveToOthers(group)
  redis.pcall(publish, channel, '0')
end
return { freed and 'released' or 'not-held', '', now }
