--- Lets an owner write no more, however often it does, and wakes the waiters. Where it also reads it goes on reading,
--- now beside others; else the lock is free.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held', now: number]
--- invariant Executed any number of times it has one effect, and it never touches the hold of another owner.
--- invariant What it goes on reading lasts for as long as its reads do, and keeps nobody out longer.
--- invariant Every first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/write-count.lua
--- include shared/read-count.lua
--- include shared/read-timeouts.lua
--- include shared/free-read-write.lua
local now = serverNow()
local held = writeCount(lock, owner) > 0
local isFree = redis.call('EXISTS', lock) == 0
if held then
  redis.call('HDEL', lock, owner .. ':write')
  local longest = longestRead(lock, stem, owner, readCount(lock, owner))
  -- Reads that ended before are no reason to keep anybody out.
  if longest > 0 then
    redis.call('HSET', lock, 'mode', 'read')
    redis.call('PEXPIRE', lock, longest)
  else
    freeReadWrite(lock)
  end
end
-- Without the right to publish the lock is free all the same; waiters find out at their next safety poll.
if held or isFree then redis.pcall(publish, channel, '1') end
return { held and 'released' or 'not-held', now }
