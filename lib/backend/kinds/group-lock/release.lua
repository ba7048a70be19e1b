--- Releases the fields of an owner, whatever its hold count, and wakes the waiters.
--- key group
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- args fields: string
--- reply [outcome: 'released' | 'not-held', now: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another owner.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/shared/group-fields.lua
local now = serverNow()
-- If a key of another type has taken the name, the hold is gone as well.
if redis.call('TYPE', group).ok ~= 'hash' then return { 'not-held', now } end
local held = holdsAll(group, fields, owner, now)
local freed = false
for _, field in ipairs(fields) do
  freed = dropField(group, field, owner) or freed
end
-- Without the right to publish, the fields are free nevertheless; waiters notice at their next safety poll.
if freed then
  leaveToOthers(group)
  redis.pcall(publish, channel, '0')
end
return { held and 'released' or 'not-held', now }
