--- Renews each lock that its owner still reads, for at least its milliseconds from now.
--- keys locks
--- arg notAfter: number
--- args holders: string
--- reply [outcome: 'renewed' | 'late', now: number, ...held: number[]]
--- invariant A lock that its owner does not read is left alone and reported as 0.
--- invariant If time-out keys may be on another server than their lock, the reply is minus the number of reads: the
---   caller keeps them one by one.
--- invariant The time that other readers or the writer need is not shortened, and their time-out keys are not touched.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/read-count.lua
--- include kinds/read-write/shared/read-timeouts.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, lock in ipairs(locks) do
  -- For each lock: its owner, the milliseconds, and the prefix of the names of its companion keys.
  local owner, lease, stem = holders[3 * i - 2], tonumber(holders[3 * i - 1]), holders[3 * i]
  local reads = readCount(lock, owner)
  if reads > 0 then redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), lease)) end
  local held = reads > 0 and 1 or 0
  for n = 1, reads do
    if not keepRead(lock, stem, owner, n, lease) then held = -reads end
  end
  reply[i + 2] = held
end
return reply
