--- Ends the hold of the writer, including its reads, and wakes the waiters.
--- key lock
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Deletes only a lock with a writer: neither the lock of readers, nor a key of another type, nor other
---   fields of the hash.
--- invariant Nothing happens after `notAfter` on the server's clock: by then another owner may hold the lock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/free-read-write.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, now } end
if mode ~= 'write' then return { 'not-held', '', now } end
freeReadWrite(lock)
redis.pcall(publish, channel, '1')
return { 'released', '', now }
