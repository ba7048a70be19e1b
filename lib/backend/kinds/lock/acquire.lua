--- Acquires the lock for a new owner.
--- key lock
--- arg owner: string
--- arg lease: number
--- arg notAfter: number
--- reply [lease: number, now: number]
--- reply [outcome: 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
--- grants
--- invariant Repeating the request has one effect: an owner that has the lock gets the same answer, and is counted
---   once; it never shortens the lock of an owner that has it.
--- invariant A lock always has a time to live, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/take-lock.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end

if redis.call('EXISTS', lock) == 0 then
  return takeLock(lock, owner, lease) or { lease, now }
end

--- include kinds/shared/sole-hold.lua
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now } end
if holder ~= owner then return { 'busy', redis.call('PTTL', lock), holder, now } end
if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
return { lease, now }
