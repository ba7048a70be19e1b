--- Acquires the lock for a new owner, also from another one: that is told, and loses it.
--- key lock
--- arg owner: string
--- arg lease: number
--- arg notAfter: number
--- arg asks: number
--- arg holders: string
--- arg channel: string
--- arg publish: string
--- reply [lease: number, now: number]
--- reply [outcome: 'busy' | 'late' | 'wrong-type', remaining: number, detail: string, now: number]
--- grants
--- invariant With `asks`, the other owner is told to end, and keeps the lock.
--- invariant Repeating the request has one effect: an owner that has the lock keeps it, for its longest lease.
--- invariant A lock always has a time to live and one owner, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/sole-hold.lua
--- include kinds/shared/take-lock.lua
--- include kinds/shared/take-from-holder.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now } end

local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', 0, found, now } end
if holder == owner then
  if redis.call('PTTL', lock) < lease then redis.call('PEXPIRE', lock, lease) end
  return { lease, now }
end
if holder ~= '' then
  local remaining = redis.call('PTTL', lock)
  if asks == 1 then
    askToEnd(holder, holders, publish)
    return { 'busy', remaining, holder, now }
  end
  dropForNewer(lock, holder, remaining, lease, holders, channel, publish)
end
return takeLock(lock, owner, lease) or { lease, now }
