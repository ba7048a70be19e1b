--- Lets an owner read no more, however often it does; behind the last reader frees the lock and wakes the waiters.
--- key lock
--- arg stem: string
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late', now: number]
--- invariant Executed any number of times it has one effect, and it never touches the hold of another owner who lives.
--- invariant A writer's lock is not shortened.
--- invariant Every first write is one that a server out of memory allows.
--- invariant Nothing happens after `notAfter` on the server's clock: a writer may read again.
--- include shared/server-now.lua
--- include shared/read-count.lua
--- include shared/read-timeouts.lua
--- include shared/free-read-write.lua
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
  -- Who is left without a living time-out key died, and keeps nobody out.
  isFree = longest <= 0
  if isFree then freeReadWrite(lock) else redis.call('PEXPIRE', lock, longest) end
end
-- Without the right to publish the lock is free all the same; waiters find out at their next safety poll.
if isFree then redis.pcall(publish, channel, '0') end
return { reads > 0 and 'released' or 'not-held', now }
