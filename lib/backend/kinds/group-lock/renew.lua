--- Renews all fields that their owners still hold, each for at least its milliseconds from now.
--- keys groups
--- arg notAfter: number
--- args holders: string
--- reply [outcome: 'renewed' | 'late', now: number, ...held: number[]]
--- invariant Fields are left alone and reported as 0 if the owner lacks any of them.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/group-fields.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
local at = 1
for i, group in ipairs(groups) do
  -- For each hold: its owner, the milliseconds, the number of fields, and the fields.
  local owner, lease, size = holders[at], tonumber(holders[at + 1]), tonumber(holders[at + 2])
  local fields = {}
  for n = 1, size do fields[n] = holders[at + 2 + n] end
  at = at + 3 + size
  local held = holdsAll(group, fields, owner, now)
  if held then
    keepGroup(group, lease)
    keepFields(group, fields, owner, now + lease)
  end
  reply[i + 2] = held and 1 or 0
end
return reply
