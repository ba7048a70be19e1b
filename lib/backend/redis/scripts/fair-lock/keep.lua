--- Keeps the places of waiters that are alive, those of one process on one lock.
--- key lock
--- key queue
--- key deadlines
--- arg slot: number
--- arg channel: string
--- arg publish: string
--- args owners: string
--- reply [outcome: 'kept', now: number, ...kept: number[]]
--- invariant It gives no place: who has none any more is reported as 0.
--- invariant Deadlines of others are left alone, but for what was booked for Java waiters that have left.
--- invariant Every first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/fair-queue.lua
--- include shared/fair-places.lua
local now = serverNow()
local reply, indexes = { 'kept', now }, {}
for i, owner in ipairs(owners) do
  reply[i + 2] = 0
  indexes[owner] = i
end
if foreignKey(queue, deadlines) then return reply end
local head, deadline, isNewHead = purgeQueue(queue, deadlines, now)
deadline = endBookings(queue, deadlines, head, deadline, slot, now)

local hasEnd = onlyOurs(queue, deadlines)
local places = {}
if hasEnd then
  for i, owner in ipairs(owners) do
    if redis.call('ZSCORE', deadlines, owner) then
      reply[i + 2] = 1
      places[#places + 1] = { now + slot, owner }
    end
  end
else
  -- A head without a deadline would never be found dead.
  if head and not deadline then places[1] = { now + slot, head } end
  local last = now
  hasEnd = true
  for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    local ours = isOurs(waiter)
    hasEnd = hasEnd and ours
    if indexes[waiter] then
      reply[indexes[waiter] + 2] = 1
      places[#places + 1] = { keptUntil(last, slot, now), waiter }
    elseif not ours then
      last = behindJava(tonumber(redis.call('ZSCORE', deadlines, waiter)), last)
    end
  end
end
-- First, because it is allowed when memory is used up, and so allows the rest.
limitQueue(queue, deadlines, false, now)
for _, place in ipairs(places) do redis.call('ZADD', deadlines, place[1], place[2]) end
-- A deadline without a place would pass for one.
for i, owner in ipairs(owners) do
  if reply[i + 2] == 0 then redis.call('ZREM', deadlines, owner) end
end
if hasEnd then limitQueue(queue, deadlines, true, now) end
if isNewHead and redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return reply
