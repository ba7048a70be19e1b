--- Deletes the semaphore together with the permits in use. Notifies no waiter.
--- key permits
--- key deadlines
--- key marker
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'deleted' | 'none' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant Deletes only a semaphore, never a key of another type, and nothing after `notAfter` on the server's clock.
--- invariant The first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/permit-pool.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
local answered = redis.call('GET', marker)
if answered then return { answered, '', now } end

local outcome = redis.call('DEL', permits, deadlines) > 0 and 'deleted' or 'none'
redis.call('SET', marker, outcome, 'PX', keep)
return { outcome, '', now }
