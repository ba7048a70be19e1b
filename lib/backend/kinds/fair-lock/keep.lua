--- Keeps the places of live waiters of one process for one lock.
--- key lock
--- key queue
--- key deadlines
--- arg slot: number
--- arg channel: string
--- arg publish: string
--- args owners: string
--- reply [outcome: 'kept', now: number, ...kept: number[]]
--- invariant It gives no new place: an owner without a place is reported as 0.
--- invariant Deadlines of other owners do not change, except for time that was added for Java waiters that have left.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/fair-lock/shared/fair-queue.lua
--- include kinds/fair-lock/shared/fair-places.lua
local now = serverNow()
local reply, indexes = { 'kept', now }, {}
for i, owner in ipairs(owners) do
  reply[i + 2] = 0
  indexes[owner] = i
end
if foreignKey(queue, deadlines) then return reply end
local head, deadline = purgeQueue(queue, deadlines, now)
deadline = endBookings(queue, deadlines, head, deadline, slot, now)

local hasEnd = onlyOurs(queue, deadlines)
local places = {}
if hasEnd then
  for i, owner in ipairs(owners) do
    local before = tonumber(redis.call('ZSCORE', deadlines, owner))
    if before then
      reply[i + 2] = 1
      places[#places + 1] = { keptUntil(now, slot, now, firstLeaseIn(before)), owner }
    end
  end
else
  -- Without a deadline, a dead head would keep its place for ever.
  if head and not deadline then places[1] = { now + slot, head } end
  local last = now
  hasEnd = true
  for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    local ours = isOurs(waiter)
    hasEnd = hasEnd and ours
    if indexes[waiter] then
      local firstLease = firstLeaseIn(tonumber(redis.call('ZSCORE', deadlines, waiter)))
      reply[indexes[waiter] + 2] = 1
      places[#places + 1] = { keptUntil(last, slot, now, firstLease), waiter }
    elseif not ours then
      last = behindJava(tonumber(redis.call('ZSCORE', deadlines, waiter)), last)
    end
  end
end
-- Comes first because a server without free memory allows it, and then allows the rest of the script.
limitQueue(queue, deadlines, false, now)
for _, place in ipairs(places) do redis.call('ZADD', deadlines, place[1], place[2]) end
-- A deadline without a place would be taken for a place.
for i, owner in ipairs(owners) do
  if reply[i + 2] == 0 then redis.call('ZREM', deadlines, owner) end
end
if hasEnd then limitQueue(queue, deadlines, true, now) end
if head and redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return reply
