--- Releases the lock of an owner, whatever its hold count, and wakes the waiters.
--- key lock
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held', now: number, heard: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another owner or other fields of
---   the hash.
--- invariant Every possible first write is one that a server without free memory allows.
--- include shared/server-now.lua
--- include shared/drop-hold.lua
local now = serverNow()
if not dropHold(lock, owner) then return { 'not-held', now, 0 } end
-- Without the right to publish, the lock is free nevertheless; waiters notice at their next safety poll.
local heard = publish ~= '' and redis.pcall(publish, channel, '0') or 0
return { 'released', now, tonumber(heard) or 0 }
