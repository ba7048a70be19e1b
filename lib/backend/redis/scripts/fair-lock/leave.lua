--- Ends the wait of an owner, with whatever came of it: its place in the queue, or the lock.
--- key lock
--- key queue
--- key deadlines
--- arg owner: string
--- arg slot: number
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'left', now: number]
--- invariant Executed any number of times it has one effect, and it never touches what another owner has.
--- invariant Every first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/drop-hold.lua
--- include shared/fair-queue.lua
--- include shared/fair-places.lua
local now = serverNow()
local held = dropHold(lock, owner)
-- Where another type of key has taken a name, what the owner had under it is gone as well.
if foreignKey(queue, deadlines) then return { 'left', now } end

-- Ours alone, it cannot be in the queue without a deadline.
local isKnown = onlyOurs(queue, deadlines)
local isHead = redis.call('LINDEX', queue, 0) == owner
local lowered = countedOn(queue, owner)
local hadDeadline = redis.call('ZREM', deadlines, owner) == 1
local hadPlace = (hadDeadline or not isKnown) and redis.call('LREM', queue, isKnown and 1 or 0, owner) > 0
local head = headOf(queue)
-- They may be gone already, which a moving slot takes for being elsewhere.
if not head then redis.pcall('DEL', deadlines) end
if head and hadPlace then
  lower(deadlines, lowered, slot)
  limitQueue(queue, deadlines, isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)), now)
end

-- Who is the first now is told, where that is news and the lock is there to be had.
if held or (isHead and head and redis.call('EXISTS', lock) == 0) then
  tellHead(purgeQueue(queue, deadlines, now), channel, publish)
end
return { 'left', now }
