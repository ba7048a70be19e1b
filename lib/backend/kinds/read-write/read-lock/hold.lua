--- Sets the read count of an owner that reads or writes, and the time that the reads last from now: to re-enter, to
--- release a read that is not the last, to extend, and to read while writing.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'held' | 'torn' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never admits an owner that has neither half, and nothing happens after `notAfter` on the server's
---   clock.
--- invariant Each read has a time-out key. If some may be on another server than the lock, the reply is 'torn': the
---   caller keeps them one by one.
--- invariant The lock lasts as long as the longest read; the lock of a writer is not shortened.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/read-count.lua
--- include kinds/read-write/shared/write-count.lua
--- include kinds/read-write/shared/read-timeouts.lua
--- include kinds/shared/tell-shorter.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local before = readCount(lock, owner)
local writes = writeCount(lock, owner) > 0
if before == 0 and not writes then return { 'lost', now } end
-- PEXPIRE comes first: a server without free memory allows it, and then allows the rest of the script.
local left = redis.call('PTTL', lock)
redis.call('PEXPIRE', lock, math.max(left, lease))
local isTorn = false
for n = 1, count do isTorn = not keepRead(lock, stem, owner, n, lease, n > before) or isTorn end
for n = count + 1, before do dropRead(lock, stem, owner, n) end
if before ~= count then redis.call('HSET', lock, owner, count) end
if not writes then
  local longest = longestOfAll(lock, stem)
  redis.call('PEXPIRE', lock, longest)
  tellShorter(left, longest, channel, publish, serverNow() - now)
end
return { isTorn and 'torn' or 'held', now }
