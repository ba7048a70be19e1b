--- Frees the fair lock of an owner, however often it holds it, and wakes the head of the queue.
--- key lock
--- key queue
--- key deadlines
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held', now: number]
--- invariant Executed any number of times it has one effect, and it never touches the hold of another owner, nor what else
---   stands in the hash.
--- invariant Every first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/drop-hold.lua
--- include shared/fair-queue.lua
local now = serverNow()
-- Before the lock is freed: what a moving slot breaks off can then be done again.
local head = not foreignKey(queue, deadlines) and purgeQueue(queue, deadlines, now)
local held = dropHold(lock, owner)
-- Redisson: whoever finds the lock gone tells the head as well.
if held or redis.call('EXISTS', lock) == 0 then tellHead(head, channel, publish) end
return { held and 'released' or 'not-held', now }
