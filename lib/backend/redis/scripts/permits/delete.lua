--- Deletes the semaphore together with the permits that are out. Nobody is told.
--- key permits
--- key deadlines
--- key marker
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'deleted' | 'none' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
--- invariant Executed any number of times it has one effect and one answer, as long as the marker is there: `keep` ms.
--- invariant Only a semaphore is deleted, never a key of another type, and nothing after `notAfter` on the server's clock.
--- invariant The first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/permit-pool.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
local answered = redis.call('GET', marker)
if answered then return { answered, '', now } end

local outcome = redis.call('DEL', permits, deadlines) > 0 and 'deleted' or 'none'
redis.call('SET', marker, outcome, 'PX', keep)
return { outcome, '', now }
