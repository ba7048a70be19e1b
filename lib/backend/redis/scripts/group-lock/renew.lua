--- Lets all fields that their owners still hold last anew, each for its milliseconds from now at least.
--- keys groups
--- arg notAfter: number
--- args holders: string
--- reply [outcome: 'renewed' | 'late', now: number, ...held: number[]]
--- invariant Fields of which one is gone or foreign are left alone and reported as 0.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include shared/server-now.lua
--- include shared/group-fields.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
local at = 1
for i, group in ipairs(groups) do
  -- For each hold its owner, the milliseconds, how many fields, and the fields.
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
