--- Renews the permits that their owners still have, each for its milliseconds from now.
--- keys sets
--- arg notAfter: number
--- args holders: string
--- reply [outcome: 'renewed' | 'late', now: number, ...held: number[]]
--- invariant A permit that its owner does not have any more is not restored, and reported as 0.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/holds-permit.lua
--- include kinds/limit/shared/keep-permit.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, permits in ipairs(sets) do
  -- For each permit: its owner, and the milliseconds.
  local owner, lease = holders[2 * i - 1], tonumber(holders[2 * i])
  local held = holdsPermit(permits, owner, now)
  if held then keepPermit(permits, owner, lease, now) end
  reply[i + 2] = held and 1 or 0
end
return reply
