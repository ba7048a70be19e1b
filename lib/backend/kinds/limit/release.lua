--- Releases the permit of an owner and tells the next waiter.
--- key permits
--- arg owner: string
--- arg channel: string
--- arg turns: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held', now: number]
--- invariant Repeating the request has one effect, and it never touches the permit of another live owner.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/holds-permit.lua
--- include kinds/limit/shared/permits-in-use.lua
--- include kinds/limit/shared/places.lua
local now = serverNow()
local held = holdsPermit(permits, owner, now)
if not held then return { 'not-held', now } end
redis.call('ZREM', permits, owner, 'number ' .. owner)
local head = headOf(permits, now)
tellNext(head, channel, turns, publish)
-- Comes last: while the slot moves, the server refuses to look for a key that was deleted.
if not head and permitsInUse(permits, now) == 0 then redis.call('DEL', permits) end
return { 'released', now }
