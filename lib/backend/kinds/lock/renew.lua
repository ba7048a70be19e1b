--- Renews each lock that its owner still holds, for its milliseconds from now.
--- keys locks
--- arg notAfter: number
--- args holders: string
--- reply [outcome: 'renewed' | 'late', now: number, ...held: number[]]
--- invariant A lock that is gone, held by another owner, or a key of another type is left alone and reported as 0.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/hold-count.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, lock in ipairs(locks) do
  -- For each lock: its owner and the milliseconds.
  local owner, lease = holders[2 * i - 1], tonumber(holders[2 * i])
  local held = holdCount(lock, owner) > 0
  if held then redis.call('PEXPIRE', lock, lease) end
  reply[i + 2] = held and 1 or 0
end
return reply
