--- Ends the hold of any owner of the fair lock and wakes the head of the queue, which stays.
--- key lock
--- key queue
--- key deadlines
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Deletes only a lock, never a key of another type or any other hash.
--- invariant Nothing happens after `notAfter` on the server's clock: by then another owner may hold the lock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
--- include kinds/fair-lock/shared/fair-queue.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', found, now } end
local head = not foreignKey(queue, deadlines) and purgeQueue(queue, deadlines, now)
if holder == '' then return { 'not-held', '', now } end
redis.call('DEL', lock)
tellHead(head, channel, publish)
return { 'released', '', now }
