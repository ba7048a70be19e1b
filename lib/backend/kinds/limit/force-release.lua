--- Releases the permits of all owners and tells the next waiter. Places stay.
--- key permits
--- arg channel: string
--- arg turns: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-held' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Deletes only the permits of a limit, never another key.
--- invariant Nothing happens after `notAfter` on the server's clock: by then other owners may have permits.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/stored-limit.lua
--- include kinds/limit/shared/permits-in-use.lua
--- include kinds/limit/shared/places.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local limit, found = storedLimit(permits)
if not limit then return { 'wrong-type', found, now } end
if limit == 0 then return { 'not-held', '', now } end
local wereInUse = permitsInUse(permits, now) > 0
local head = headOf(permits, now)
tellNext(head, channel, turns, publish)
-- All limits are below 2^31.
if head then redis.call('ZREMRANGEBYSCORE', permits, 2147483648, '+inf')
else redis.call('DEL', permits) end
return { wereInUse and 'released' or 'not-held', '', now }
