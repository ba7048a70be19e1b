--- Ends the holds of all readers and wakes the waiters. Their time-out keys are left to expire.
--- key lock
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Deletes only a lock with readers: neither the lock of a writer, nor a key of another type, nor other
---   fields of the hash.
--- invariant Nothing happens after `notAfter` on the server's clock: by then another owner may hold the lock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/free-read-write.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, now } end
if mode ~= 'read' then return { 'not-held', '', now } end
freeReadWrite(lock)
redis.pcall(publish, channel, '0')
return { 'released', '', now }
