--- Releases the lock of an owner, whatever its hold count, and passes it on to the client that has waited longest. If
--- none is waiting, or others than ours, wakes all that listen. Without `publish` it is silent: it passes on nothing, and
--- wakes only if a client of ours waits, by `wake`.
--- key lock
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- arg wake: string
--- arg waiters: string
--- arg again: string
--- arg mayGrant: number
--- reply 'released'
--- reply [heard: number, asking: number, outcome: 'released']
--- reply [outcome: 'passed-on' | 'kept' | 'not-held', now: number]
--- invariant Repeating the request has one effect, and it never touches the hold of another owner or other fields of
---   the hash.
--- invariant With `mayGrant` 0, because the server may have forgotten a holder, it passes on nothing.
--- invariant Every possible first write is one that a server without free memory allows.
local function announce()
  -- Without the right to publish, the lock is free nevertheless; waiters notice at their next safety poll.
  return publish ~= '' and tonumber(redis.pcall(publish, channel, '0')) or 0
end
-- Clients that wait in turn would sleep until their next safety poll, while those that poll have the lock again and again.
local isSilent = publish == ''
if isSilent and redis.pcall('EXISTS', waiters) == 1 then publish = wake end
local dropped = redis.pcall('HDEL', lock, owner)
local heard
-- The usual case: nothing is left of the lock, and no client waits.
if dropped == 1 and again == '' and redis.pcall('EXISTS', lock, waiters) == 0 then
  heard = announce()
  if heard == 0 then return 'released' end
end

--- include kinds/shared/foreign-type.lua
--- include kinds/shared/keep-fields.lua
--- include kinds/shared/server-now.lua
--- include kinds/shared/pass-on.lua
local function released()
  local asking = heard > 0 and others(lock, channel, publish)
  -- The clients with entries ask as well, now that the lock is free.
  if asking then asking = asking + (tonumber(redis.pcall('ZCARD', waiters)) or 0) end
  return { heard, asking or heard, 'released' }
end
if heard then return released() end
local now = serverNow()
if type(dropped) == 'table' then dropped = foreignType(lock) and 0 or redis.call('HDEL', lock, owner) end
if dropped == 0 then return { 'not-held', now } end
keepFields(lock)
-- A lock that is passed on is never free for those that poll.
local passes = mayGrant == 1 and not isSilent and redis.pcall('EXISTS', lock) == 0
local outcome = passes and passOn(lock, waiters, channel, publish, again, now)
if outcome then return { outcome, now } end
heard = announce()
return released()
