--- Acquires a permit for the waiter at the head, if fewer than `limit` permits are in use. Any other waiter keeps its
--- place, or gets one at the end.
--- key permits
--- arg owner: string
--- arg lease: number
--- arg limit: number
--- arg numbered: number
--- arg slot: number
--- arg channel: string
--- arg turns: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'acquired' | 'queued' | 'waiting' | 'late' | 'wrong-type', remaining: number, detail: string,
---   now: number, head: string, inUse: number, before: number, number: number]
--- grants
--- invariant Repeating the request has one effect: an owner has one place, or one permit, and is counted once.
--- invariant The number of a permit, from 0 on, is that of no other permit in use; -1 if it is not `numbered`.
--- invariant Each owner is measured by its own limit, so no more permits are in use than the largest limit asked for.
--- invariant The set always has a time to live, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/stored-limit.lua
--- include kinds/limit/shared/permits-in-use.lua
--- include kinds/limit/shared/holds-permit.lua
--- include kinds/limit/shared/places.lua
--- include kinds/limit/shared/take-permit.lua
--- include kinds/limit/shared/numbers.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, '', 0, 0, -1 } end
local before, found = storedLimit(permits)
if not before then return { 'wrong-type', 0, found, now, '', 0, 0, -1 } end

local head, left, isNewHead = headOf(permits, now)
local inUse = permitsInUse(permits, now)
local isRepeated = holdsPermit(permits, owner, now)
if isRepeated or inUse < limit and (not head or head == owner) then
  local refused = takePermit(permits, owner, lease, limit, inUse, now)
  if refused then return refused end
  removePlace(permits, owner)
  inUse = isRepeated and inUse or inUse + 1
  -- The next one may have another limit.
  if inUse < limit or before ~= limit then tellNext(headOf(permits, now), channel, turns, publish) end
  local number = numbered == 1 and takeNumber(permits, owner, now) or -1
  return { 'acquired', lease, '', now, '', inUse, before, number }
end

local outcome = 'waiting'
if not hasPlace(permits, owner) then
  outcome = 'queued'
  addPlace(permits, owner, slot, now)
end
if isNewHead and head and head ~= owner then tellNext(head, channel, turns, publish) end
if inUse < limit then return { outcome, left, head, now, head, inUse, before, -1 } end
-- The permit whose end leaves fewer than `limit`.
local holder, deadline = unpack(redis.call('ZREVRANGE', permits, limit - 1, limit - 1, 'WITHSCORES'))
return { outcome, tonumber(deadline) - now, holder, now, head or owner, inUse, before, -1 }
