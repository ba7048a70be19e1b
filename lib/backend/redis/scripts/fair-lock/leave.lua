--- Ends the waits of owners, with whatever came of them: their places in the queue, or the lock.
--- key lock
--- key queue
--- key deadlines
--- arg slot: number
--- arg channel: string
--- arg publish: string
--- args owners: string
--- reply [outcome: 'left', now: number]
--- invariant Executed any number of times it has one effect, and it never touches what another owner has.
--- invariant Every first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/drop-hold.lua
--- include shared/fair-queue.lua
--- include shared/fair-places.lua
local now = serverNow()
local held = false
for _, owner in ipairs(owners) do held = held or dropHold(lock, owner) end
-- Where another type of key has taken a name, what the owners had under it is gone as well.
if foreignKey(queue, deadlines) then return { 'left', now } end

-- Ours alone, nobody can be in the queue without a deadline.
local isKnown = onlyOurs(queue, deadlines)
local head = redis.call('LINDEX', queue, 0)
local hadHead, hadPlace = false, false
for _, owner in ipairs(owners) do
  if not head then break end
  local lowered = countedOn(queue, owner)
  local hadDeadline = redis.call('ZREM', deadlines, owner) == 1
  if (hadDeadline or not isKnown) and redis.call('LREM', queue, isKnown and 1 or 0, owner) > 0 then
    hadPlace, hadHead = true, hadHead or head == owner
    head = headOf(queue)
    if head then lower(deadlines, lowered, slot) end
  end
end
if not head then ofWhatIsLeft(redis.pcall('DEL', deadlines)) end
if head and hadPlace then
  limitQueue(queue, deadlines, isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)), now)
end

-- Who is the first now is told, where that is news and the lock is there to be had.
if head and (held or hadHead and redis.call('EXISTS', lock) == 0) then
  tellHead(purgeQueue(queue, deadlines, now), channel, publish)
end
return { 'left', now }
