--- Gives back what a request took whose answer was lost, if it took something, and tells those who wait.
--- key semaphore
--- key marker
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'undone' | 'nothing', now: number]
--- invariant Executed any number of times it has one effect. A semaphore that is gone by now does not come back.
--- invariant The first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/count-under.lua
local now = serverNow()
local taken = redis.call('GET', marker)
if not taken then return { 'nothing', now } end
local available, found = countUnder(semaphore)
redis.call('DEL', marker)
-- Where another type of key has taken the name, the permits are gone as well.
if not available or found == 'none' then return { 'nothing', now } end
available = redis.call('INCRBY', semaphore, taken)
if available >= 0 then redis.pcall(publish, channel, available) end
return { 'undone', now }
