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
--- include shared/hold-count.lua
--- include shared/fair-queue.lua
--- include shared/fair-places.lua
local now = serverNow()
-- Where another type of key has taken a name, what the owner had under it is gone as well.
local held = (holdCount(lock, owner) or 0) > 0
if held then redis.call('DEL', lock) end
if foreignKey(queue, deadlines) then return { 'left', now } end

local behind
local waiters = redis.call('LRANGE', queue, 0, -1)
for i, waiter in ipairs(waiters) do
  if waiter == owner then
    behind = i + 1
    break
  end
end
if #waiters == (behind and 1 or 0) then redis.call('DEL', deadlines) else redis.call('ZREM', deadlines, owner) end
if behind then
  redis.call('LREM', queue, 0, owner)
  lower(deadlines, waiters, behind, owner, slot)
  limitQueue(queue, deadlines, lastOfOurs(queue, deadlines), now)
end

-- Who is the first now is told, where that is news and the lock is there to be had.
local hasNewHead = behind == 2 and #waiters > 1
if (held or hasNewHead) and redis.call('EXISTS', lock) == 0 then
  tellHead(purgeQueue(queue, deadlines, now), channel, publish)
end
return { 'left', now }
