--- Ends the hold of whoever has it and wakes the waiters.
--- key lock
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Only a lock is deleted, never a key of another type.
--- invariant Nothing happens after `notAfter` on the server's clock: by then another may hold the lock.
--- include shared/server-now.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local found = redis.call('TYPE', lock).ok
if found == 'none' then return { 'not-held', '', now } end
if found ~= 'hash' then return { 'wrong-type', found, now } end
if redis.call('HGET', lock, 'mode') then return { 'wrong-type', 'hash of a read-write lock', now } end
redis.call('DEL', lock)
if publish ~= '' then redis.pcall(publish, channel, '0') end
return { 'released', '', now }
