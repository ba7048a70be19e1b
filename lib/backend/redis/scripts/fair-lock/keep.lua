--- Keeps the places of waiters that are alive, all those of one process on one lock.
--- key lock
--- key queue
--- key deadlines
--- arg slot: number
--- arg channel: string
--- arg publish: string
--- args owners: string
--- reply [outcome: 'kept', now: number, ...kept: number[]]
--- invariant It gives no place: who has none any more is reported as 0.
--- invariant Deadlines of others are left alone, and every first write is one that a server out of memory allows.
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
local head, _, isNewHead = purgeQueue(queue, deadlines, now)

local last, latest, isOnlyOurs = now, now, true
local places = {}
for i, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
  local index, ours = indexes[waiter], isOurs(waiter)
  isOnlyOurs = isOnlyOurs and ours
  if index then
    reply[index + 2] = 1
    places[#places + 1] = { last + slot, waiter }
    latest = math.max(latest, last + slot)
  else
    local known = tonumber(redis.call('ZSCORE', deadlines, waiter))
    last = behind(waiter, known, last)
    latest = math.max(latest, known or 0)
    -- A head without a deadline would never be found dead.
    if i == 1 and not known then
      places[1] = { now + slot, waiter }
      latest = now + slot
    end
  end
end
-- First, because it is allowed when memory is used up, and so allows the rest.
limitQueue(queue, deadlines, isOnlyOurs and latest or nil, now)
for _, place in ipairs(places) do redis.call('ZADD', deadlines, place[1], place[2]) end
-- A deadline without a place would pass for one.
for i, owner in ipairs(owners) do
  if reply[i + 2] == 0 then redis.call('ZREM', deadlines, owner) end
end
if isNewHead and redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return reply
