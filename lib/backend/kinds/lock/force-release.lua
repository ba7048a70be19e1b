--- Ends the hold of any owner and wakes the waiters.
--- key lock
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Deletes only a lock, never a key of another type or any other hash.
--- invariant Nothing happens after `notAfter` on the server's clock: by then another owner may hold the lock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', found, now } end
if holder == '' then return { 'not-held', '', now } end
redis.call('DEL', lock)
if publish ~= '' then redis.pcall(publish, channel, '0') end
return { 'released', '', now }
