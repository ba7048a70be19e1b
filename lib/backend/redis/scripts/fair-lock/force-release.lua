--- Ends the hold of whoever has the fair lock and wakes the head of the queue, which stays.
--- key lock
--- key queue
--- key deadlines
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held' | 'wrong-type', detail: string]
--- invariant Only a lock is deleted, never a key of another type.
--- include shared/server-now.lua
--- include shared/fair-queue.lua
local found = redis.call('TYPE', lock).ok
if found ~= 'none' and found ~= 'hash' then return { 'wrong-type', found } end
local head = not foreignKey(queue, deadlines) and purgeQueue(queue, deadlines, serverNow())
if found == 'none' then return { 'not-held', '' } end
redis.call('DEL', lock)
tellHead(head, channel, publish)
return { 'released', '' }
