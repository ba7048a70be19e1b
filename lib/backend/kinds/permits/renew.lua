--- Renews permits that are in use, each for its milliseconds from now.
--- keys sets
--- arg notAfter: number
--- args holders: string
--- reply [outcome: 'renewed' | 'late', now: number, ...held: number[]]
--- invariant A permit that is not in use any more, or whose lease has ended, is not restored, and reported as 0.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/from-hex.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local reply = { 'renewed', now }
for i, deadlines in ipairs(sets) do
  -- For each permit: its id, and the milliseconds.
  local permit, lease = fromHex(holders[2 * i - 1]), tonumber(holders[2 * i])
  local isSet = redis.call('TYPE', deadlines).ok == 'zset'
  local deadline = isSet and tonumber(redis.call('ZSCORE', deadlines, permit) or '')
  local isHeld = deadline and deadline > now
  if isHeld then
    -- Removes nothing. A server without free memory allows this write, and then allows the rest of the script.
    redis.call('ZREMRANGEBYSCORE', deadlines, 0, 0)
    redis.call('ZADD', deadlines, now + lease, permit)
  end
  reply[i + 2] = isHeld and 1 or 0
end
return reply
