--- Ends the hold of whoever has the fair lock and wakes the head of the queue, which stays.
--- key lock
--- key queue
--- key deadlines
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held' | 'wrong-type', detail: string]
--- invariant Only a lock is deleted, never a key of another type.
--- include shared/server-now.lua
--- include shared/hold-count.lua
--- include shared/fair-queue.lua
local held, found = holdCount(lock, '')
if not held then return { 'wrong-type', found } end
local head = not foreignKey(queue, deadlines) and purgeQueue(queue, deadlines, serverNow())
if redis.call('DEL', lock) == 0 then return { 'not-held', '' } end
tellHead(head, channel, publish)
return { 'released', '' }
