--- Acquires a fair lock for the waiter at the head. Any other waiter keeps its place in the queue, or gets one at the
--- end. `firstLease`: what it gets when the lock is given to it; 0: it is told, and asks. `mixed`: 1 if waiters of
--- Redisson may be ahead of it.
--- key lock
--- key queue
--- key deadlines
--- arg owner: string
--- arg lease: number
--- arg slot: number
--- arg firstLease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'acquired' | 'queued' | 'waiting' | 'late' | 'wrong-type', remaining: number, detail: string,
---   now: number, head: string, mixed: number]
--- grants
--- invariant Repeating the request has one effect: an owner has one place, or the lock, and is counted once.
--- invariant It never shortens the lease of an owner that has the lock.
--- invariant The list and the sorted set change together. A lock always has a time to live.
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
--- include kinds/fair-lock/shared/fair-queue.lua
--- include kinds/fair-lock/shared/take-turn.lua
--- include kinds/fair-lock/shared/tell-next.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '', 0 } end
local foreign, found = foreignKey(queue, deadlines)
if foreign then return { 'wrong-type', 0, found, now, foreign, 0 } end
local head, deadline, isNewHead = purgeQueue(queue, deadlines, now)
deadline = endBookings(queue, deadlines, head, deadline, slot, now)
local isFree = redis.call('EXISTS', lock) == 0

if isFree and (not head or head == owner) then
  local refused = takeTurn(lock, queue, deadlines, owner, lease, slot, now)
  if refused then return refused end
  -- Others may know only of the place that has ended.
  tellNext(lock, queue, deadlines, channel, publish, lease, now)
  return { 'acquired', lease, '', now, '', 0 }
end

local holder, kind = '', nil
if not isFree then holder, kind = soleHold(lock) end
if not holder then return { 'wrong-type', 0, kind, now, lock, 0 } end
if holder == owner then
  -- Its lease may be a first one, or may have been extended meanwhile.
  if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
  return { 'acquired', lease, '', now, '', 0 }
end

local outcome, isMixed = 'waiting', true
local remaining = isFree and 0 or redis.call('PTTL', lock)
if not redis.call('ZSCORE', deadlines, owner) then
  outcome = 'queued'
  local isOwn = isOurs(owner)
  local isKnown = isOwn and onlyOurs(queue, deadlines)
  -- As in Redisson, whose first waiter sends no heartbeat, its place also lasts for the rest of the lease.
  local hasLease = not isOwn and not redis.call('LINDEX', queue, head == owner and 1 or 0)
  local last = hasLease and now + math.max(remaining, 0) or now
  for _, waiter in ipairs(isKnown and {} or redis.call('LRANGE', queue, 0, -1)) do
    if waiter ~= owner and not isOurs(waiter) then
      last = behindJava(tonumber(redis.call('ZSCORE', deadlines, waiter)), last)
    end
  end
  -- Comes first so that a server without free memory refuses it; the server would not refuse it after a removal.
  redis.call('ZADD', deadlines, isOwn and keptUntil(last, slot, now, firstLease) or last + slot, owner)
  -- An owner that lost only its deadline is still in the list.
  if not isKnown then redis.call('LREM', queue, 0, owner) end
  redis.call('RPUSH', queue, owner)
  isMixed = not (isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)))
  limitQueue(queue, deadlines, not isMixed, now)
end
local mixed = isMixed and 1 or 0
-- Without a deadline, a dead head would keep its place for ever.
if head and not deadline and head ~= owner then
  deadline = now + slot
  redis.call('ZADD', deadlines, deadline, head)
end
if not isFree then return { outcome, remaining, holder, now, head or owner, mixed } end
-- A head that has not asked may not know: it became the head by a grant, whose lease has ended since.
if isNewHead or outcome == 'waiting' then tellHead(head, channel, publish) end
-- Redisson returns 0 here, and polls without pause until the head has acquired the lock or is dead.
return { outcome, math.ceil(deadline - now), head, now, head, mixed }
