--- Lets every lock that its owner still holds last for at least the whole lease from now.
--- keys locks
--- arg lease: number
--- args owners: string
--- reply [now: number, ...held: number[]]
--- invariant A lock that is gone, foreign or of another type is left alone and reported as 0.
--- invariant It never shortens a lease: a renewal may arrive late, after the lease was extended.
--- include shared/server-now.lua
--- include shared/hold-count.lua
local reply = { serverNow() }
for i, lock in ipairs(locks) do
  local held = (holdCount(lock, owners[i]) or 0) > 0
  if held and redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
  reply[i + 1] = held and 1 or 0
end
return reply
