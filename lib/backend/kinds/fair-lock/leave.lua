--- Ends the waits of owners: removes their places from the queue, or releases the lock if one of them has acquired it.
--- The lock is then given to the head of the queue, or the head is woken.
--- key lock
--- key queue
--- key deadlines
--- arg slot: number
--- arg channel: string
--- arg publish: string
--- arg mayGrant: number
--- args owners: string
--- reply [outcome: 'left', now: number]
--- invariant Repeating the request has one effect, and it never touches the place or hold of another owner.
--- invariant With `mayGrant` 0, because the server may have forgotten a holder, it gives the lock to no one.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/shared/drop-hold.lua
--- include kinds/fair-lock/shared/fair-queue.lua
--- include kinds/fair-lock/shared/give-to-head.lua
local now = serverNow()
local held = false
for _, owner in ipairs(owners) do held = held or dropHold(lock, owner) end
-- If a key of another type has taken a name, the places of the owners are gone as well.
if foreignKey(queue, deadlines) then return { 'left', now } end

-- In a queue with only waiters of ours, every place has a deadline.
local isKnown = onlyOurs(queue, deadlines)
local head = redis.call('LINDEX', queue, 0)
local hadHead, hadPlace, wasNext = false, false, false
local nextOwner = nextOfOurs(queue, deadlines, now)
for _, owner in ipairs(owners) do
  if not head then break end
  local lowered = countedOn(queue, owner)
  local hadDeadline = redis.call('ZREM', deadlines, owner) == 1
  if (hadDeadline or not isKnown) and redis.call('LREM', queue, isKnown and 1 or 0, owner) > 0 then
    hadPlace, hadHead, wasNext = true, hadHead or head == owner, wasNext or nextOwner == owner
    head = headOf(queue)
    if head then lower(deadlines, lowered, slot) end
  end
end
if not head then ofWhatIsLeft(redis.pcall('DEL', deadlines)) end
if head and hadPlace then
  limitQueue(queue, deadlines, isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)), now)
end

-- It is the turn of the head if a lock was released here, or if the head has changed while the lock is free.
if head and (held or hadHead and redis.call('EXISTS', lock) == 0) then
  local nextHead, deadline = purgeQueue(queue, deadlines, now)
  local isGiven = mayGrant == 1 and giveToHead(lock, queue, deadlines, nextHead, deadline, channel, publish, now)
  if not isGiven then tellHead(nextHead, channel, publish) end
elseif head and wasNext then
  -- It may have been the only one to know when the lock ends.
  tellNext(lock, queue, deadlines, channel, publish, redis.call('PTTL', lock), now)
end
return { 'left', now }
