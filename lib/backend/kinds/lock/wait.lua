--- Acquires the lock for an owner whose client waits. If it is held, the client keeps its entry among those that wait, or
--- gets one.
--- key lock
--- arg owner: string
--- arg lease: number
--- arg notAfter: number
--- arg waiters: string
--- arg entry: string
--- arg isNew: number
--- reply [lease: number, now: number]
--- reply [outcome: 'busy' | 'gone' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
--- grants
--- invariant Repeating the request has one effect: an owner has one entry, or the lock, and is counted once.
--- invariant A request that is not new neither acquires nor waits for an owner that was given the lock, or withdrawn,
---   before: executed late, it does nothing.
--- invariant A lock always has a time to live, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/elsewhere.lua
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
--- include kinds/shared/take-lock.lua
--- include kinds/shared/waiting-entry.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end
local isWaiting = isNew == 1 or type(redis.pcall('ZSCORE', waiters, entry)) == 'string'
if redis.call('EXISTS', lock) == 0 then
  if not isWaiting then return { 'gone', 0, '', now } end
  local refused = takeLock(lock, owner, lease)
  if refused then return refused end
  redis.pcall('ZREM', waiters, entry)
  return { lease, now }
end

local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now } end
local remaining = redis.call('PTTL', lock)
if holder == owner then
  -- Executed late, it must not shorten what the owner has extended meanwhile.
  if remaining < lease then redis.call('PEXPIRE', lock, lease) end
  return { lease, now }
end
if not isWaiting then return { 'gone', remaining, holder, now } end
-- A second set, where the lock is, would keep the first from moving. Without an entry, the client asks again.
if not isElsewhere(lock, waiters) then addEntry(waiters, entry) end
return { 'busy', remaining, holder, now }
