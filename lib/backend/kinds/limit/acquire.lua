--- Acquires a permit for a new owner that has no place, if fewer than `limit` permits are in use and no waiter has a
--- place.
--- key permits
--- arg owner: string
--- arg lease: number
--- arg limit: number
--- arg numbered: number
--- arg channel: string
--- arg turns: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'acquired' | 'busy' | 'reserved' | 'late' | 'wrong-type', remaining: number, detail: string,
---   now: number, inUse: number, before: number, number: number]
--- grants
--- invariant Repeating the request has one effect: an owner that has a permit gets the same answer, and is counted once.
--- invariant Each owner is measured by its own limit, so no more permits are in use than the largest limit asked for.
--- invariant The number of a permit, from 0 on, is that of no other permit in use; -1 if it is not `numbered`.
--- invariant It never overtakes a waiter with a place, and never gets one.
--- invariant The set always has a time to live, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/stored-limit.lua
--- include kinds/limit/shared/permits-in-use.lua
--- include kinds/limit/shared/holds-permit.lua
--- include kinds/limit/shared/places.lua
--- include kinds/limit/shared/take-permit.lua
--- include kinds/limit/shared/numbers.lua
local now = serverNow()
if now > notAfter then return { 'late', 0, '', now, 0, 0, -1 } end
local before, found = storedLimit(permits)
if not before then return { 'wrong-type', 0, found, now, 0, 0, -1 } end

local head, left, isNewHead = headOf(permits, now)
local inUse = permitsInUse(permits, now)
local isRepeated = holdsPermit(permits, owner, now)
if isNewHead then tellNext(head, channel, turns, publish) end
if inUse >= limit and not isRepeated then
  -- The permit whose end leaves fewer than `limit`.
  local holder, deadline = unpack(redis.call('ZREVRANGE', permits, limit - 1, limit - 1, 'WITHSCORES'))
  return { 'busy', tonumber(deadline) - now, holder, now, inUse, before, -1 }
end
if head and not isRepeated then return { 'reserved', left, head, now, 0, 0, -1 } end

local refused = takePermit(permits, owner, lease, limit, inUse, now)
if refused then return refused end
local number = numbered == 1 and takeNumber(permits, owner, now) or -1
return { 'acquired', lease, '', now, isRepeated and inUse or inUse + 1, before, number }
