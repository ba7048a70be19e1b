--- Returns the permits of a request whose reply was lost, if it took any, and notifies waiters.
--- key semaphore
--- key marker
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'undone' | 'nothing', now: number]
--- invariant Repeating the request has one effect. A semaphore that is gone meanwhile is not restored.
--- invariant The first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/shared/count-under.lua
local now = serverNow()
local taken = redis.call('GET', marker)
if not taken then return { 'nothing', now } end
local available, found = countUnder(semaphore)
redis.call('DEL', marker)
-- If a key of another type has taken the name, the permits are gone as well.
if not available or found == 'none' then return { 'nothing', now } end
available = redis.call('INCRBY', semaphore, taken)
if available >= 0 then redis.pcall(publish, channel, available) end
return { 'undone', now }
