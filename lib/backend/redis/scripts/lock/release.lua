--- Frees the lock of an owner, however often it holds it, and wakes the waiters.
--- key lock
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held', now: number, heard: number]
--- invariant Executed any number of times it has one effect, and it never touches the hold of another owner, nor what else
---   stands in the hash.
--- invariant Every first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/drop-hold.lua
local now = serverNow()
if not dropHold(lock, owner) then return { 'not-held', now, 0 } end
-- Without the right to publish the lock is free all the same; waiters find out at their next safety poll.
local heard = publish ~= '' and redis.pcall(publish, channel, '0') or 0
return { 'released', now, tonumber(heard) or 0 }
