--- Acquires a fair lock for a new owner that does not queue, if it has neither a holder nor a waiter.
--- key lock
--- key queue
--- key deadlines
--- arg owner: string
--- arg lease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'acquired' | 'busy' | 'reserved' | 'late' | 'wrong-type', remaining: number, detail: string, now: number, key: string]
--- grants
--- invariant Repeating the request has one effect: an owner that has the lock gets the same answer, and is counted
---   once.
--- invariant It never overtakes a waiter and never becomes one.
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
--- include kinds/shared/take-lock.lua
--- include kinds/fair-lock/shared/fair-queue.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '' } end
local foreign, found = foreignKey(queue, deadlines)
if foreign then return { 'wrong-type', 0, found, now, foreign } end
local head, deadline, isNewHead = purgeQueue(queue, deadlines, now)

if redis.call('EXISTS', lock) == 0 then
  if not head then return takeLock(lock, owner, lease) or { 'acquired', lease, '', now, '' } end
  if isNewHead then tellHead(head, channel, publish) end
  return { 'reserved', deadline and math.ceil(deadline - now) or -1, head, now, '' }
end

local holder, kind = soleHold(lock)
if not holder then return { 'wrong-type', 0, kind, now, lock } end
if holder ~= owner then return { 'busy', redis.call('PTTL', lock), holder, now, '' } end
redis.call('PEXPIRE', lock, lease)
return { 'acquired', lease, '', now, '' }
