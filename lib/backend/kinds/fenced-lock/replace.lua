--- Acquires the lock for a new owner with a token above every earlier one, also from another owner: that is told, and
--- loses it.
--- key lock
--- key token
--- arg owner: string
--- arg lease: number
--- arg notAfter: number
--- arg fencing: string
--- arg asks: number
--- arg holders: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'acquired' | 'busy' | 'late' | 'wrong-type' | 'no-token', remaining: number, detail: string, now: number, fence: string]
--- grants
--- invariant With `asks`, the other owner is told to end, and keeps the lock.
--- invariant Those of `acquire`: the holder's token is the last one, so what the other owner still writes is refused.
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
--- include kinds/shared/take-fenced-lock.lua
--- include kinds/shared/take-from-holder.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '' } end

local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now, '' } end
local isOther = holder ~= '' and holder ~= owner
local remaining = redis.call('PTTL', lock)
if isOther and asks == 1 then
  askToEnd(holder, holders, publish)
  return { 'busy', remaining, holder, now, '' }
end

local last, foreign = lastToken(token)
if not last then return { 'no-token', 0, foreign, now, '' } end
if isOther then dropForNewer(lock, holder, remaining, lease, holders, channel, publish) end
local given, refused = takeFencedLock(lock, token, last, owner, lease, fencing, holder ~= owner)
return given and { 'acquired', lease, '', now, given } or refused
