--- Acquires the lock for a new owner with a token above every earlier one.
--- key lock
--- key token
--- arg owner: string
--- arg lease: number
--- arg notAfter: number
--- arg fencing: string
--- reply [outcome: 'acquired' | 'busy' | 'late' | 'wrong-type' | 'no-token', remaining: number, detail: string, now: number, fence: string]
--- grants
--- invariant Repeating the request has one effect: an owner that has the lock is counted once and keeps its token, and its
---   lock is never shortened.
--- invariant While an owner has the lock no other owner is given a token: the holder's token is the last one.
--- invariant A token is given together with the lock or not at all, and each is greater than the last.
--- invariant A token that the server's clock has reached is kept for a week after the lease: the next one is above it
---   anyway. Other tokens are kept for ever.
--- invariant A lock always has a time to live, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
--- include kinds/shared/take-fenced-lock.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '' } end

local isFree = redis.call('EXISTS', lock) == 0
if not isFree then
  local holder, found = soleHold(lock)
  if not holder then return { 'wrong-type', 0, found, now, '' } end
  if holder ~= owner then return { 'busy', redis.call('PTTL', lock), holder, now, '' } end
end

local last, foreign = lastToken(token)
if not last then return { 'no-token', 0, foreign, now, '' } end
local given, refused = takeFencedLock(lock, token, last, owner, lease, fencing, isFree)
return given and { 'acquired', lease, '', now, given } or refused
