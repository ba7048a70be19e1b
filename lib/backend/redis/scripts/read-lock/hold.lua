--- Sets how often an owner reads that reads or writes, and for how long from now: to re-enter, to leave but not as the
--- last, to extend, and to read beside writing.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg notAfter: number
--- reply [outcome: 'held' | 'torn' | 'lost' | 'late', now: number]
--- invariant Executed any number of times it has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never lets anybody in who has neither half, and nothing happens after `notAfter` on the server's clock.
--- invariant There is one time-out key for each read. Where some may be on another server than the lock the reply is
---   'torn': these are to be kept one by one.
--- invariant The lock lasts as long as the longest read; a writer's lock is not shortened.
--- include shared/server-now.lua
--- include shared/read-count.lua
--- include shared/write-count.lua
--- include shared/read-timeouts.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local before = readCount(lock, owner)
local writes = writeCount(lock, owner) > 0
if before == 0 and not writes then return { 'lost', now } end
-- PEXPIRE goes first: it is allowed when memory is used up, and so allows the rest of the script.
redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), lease))
local isTorn = false
for n = 1, count do isTorn = not keepRead(lock, stem, owner, n, lease, n > before) or isTorn end
for n = count + 1, before do dropRead(lock, stem, owner, n) end
if before ~= count then redis.call('HSET', lock, owner, count) end
if not writes then redis.call('PEXPIRE', lock, longestOfAll(lock, stem)) end
return { isTorn and 'torn' or 'held', now }
