--- Releases all write holds of an owner, and wakes the waiters. If the owner also reads, it goes on reading, now beside
--- other readers; otherwise the lock is free.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held', now: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another owner.
--- invariant Its reads last as long as before, and keep other owners out no longer than that.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/write-count.lua
--- include kinds/read-write/shared/read-count.lua
--- include kinds/read-write/shared/read-timeouts.lua
--- include kinds/read-write/shared/free-read-write.lua
local now = serverNow()
local held = writeCount(lock, owner) > 0
local isFree = redis.call('EXISTS', lock) == 0
if held then
  redis.call('HDEL', lock, owner .. ':write')
  local longest = longestRead(lock, stem, owner, readCount(lock, owner))
  -- Expired reads keep no other owner out.
  if longest > 0 then
    redis.call('HSET', lock, 'mode', 'read')
    redis.call('PEXPIRE', lock, longest)
  else
    freeReadWrite(lock)
  end
end
-- Without the right to publish, the lock is free nevertheless; waiters notice at their next safety poll.
if held or isFree then redis.pcall(publish, channel, '1') end
return { held and 'released' or 'not-held', now }
