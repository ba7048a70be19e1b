--- Releases all reads of an owner; after the last reader, frees the lock and wakes the waiters.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late', now: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another live owner.
--- invariant The lock of a writer is not shortened.
--- invariant Every possible first write is one that a server without free memory allows.
--- invariant Nothing happens after `notAfter` on the server's clock: by then a writer may read again.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/read-count.lua
--- include kinds/read-write/shared/read-timeouts.lua
--- include kinds/read-write/shared/free-read-write.lua
--- include kinds/shared/tell-shorter.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local mode = modeField(lock)
local reads = readCount(lock, owner)
if reads > 0 then
  redis.call('HDEL', lock, owner)
  for n = 1, reads do dropRead(lock, stem, owner, n) end
end
local isFree = not mode and redis.call('EXISTS', lock) == 0
if reads > 0 and mode == 'read' then
  local longest = longestOfAll(lock, stem)
  -- A reader without a live time-out key is dead, and keeps no other owner out.
  isFree = longest <= 0
  if isFree then
    freeReadWrite(lock)
  else
    local left = redis.call('PTTL', lock)
    redis.call('PEXPIRE', lock, longest)
    tellShorter(left, longest, channel, publish)
  end
end
-- Without the right to publish, the lock is free nevertheless; waiters notice at their next safety poll.
if isFree then redis.pcall(publish, channel, '0') end
return { reads > 0 and 'released' or 'not-held', now }
