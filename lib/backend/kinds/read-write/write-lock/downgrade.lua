--- Makes the writer a reader, under another owner id, and wakes the waiting readers. If the writer also reads, those
--- reads stay as they are.
--- key lock
--- arg stem: string
--- arg from: string
--- arg to: string
--- arg lease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'held' | 'torn' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect, and never shortens what the new owner has extended.
--- invariant It never admits an owner to a lock that `from` does not write.
--- invariant If the time-out key may be on another server than the lock, the new owner reads and the reply is 'torn': the
---   caller creates the key by a command of its own.
--- invariant The lock lasts as long as the longest read, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/read-count.lua
--- include kinds/read-write/shared/write-count.lua
--- include kinds/read-write/shared/read-timeouts.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local writes = writeCount(lock, from) > 0
local isReading = modeField(lock) == 'read' and readCount(lock, to) > 0
if not writes and not isReading then return { 'lost', now } end
local kept = isReading and math.max(lease, longestRead(lock, stem, to, 1)) or lease
-- PEXPIRE comes first: a server without free memory allows it, and then allows the rest of the script.
redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), kept))
if writes then
  -- HDEL comes before HSET: without the right to it, the owner goes on writing.
  redis.call('HDEL', lock, from .. ':write')
  redis.call('HSET', lock, 'mode', 'read', to, 1)
end
local isTorn = not keepRead(lock, stem, to, 1, kept, writes)
redis.call('PEXPIRE', lock, longestOfAll(lock, stem))
-- Without the right to publish, others may read nevertheless; waiters notice at their next safety poll.
if writes then redis.pcall(publish, channel, '1') end
return { isTorn and 'torn' or 'held', now }
