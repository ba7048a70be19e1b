--- Adds permits, or removes some for good, and notifies waiters of those that were added.
--- key permits
--- key deadlines
--- key marker
--- arg delta: number
--- arg most: number
--- arg channel: string
--- arg publish: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'added' | 'too-many' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number,
---   available: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant Nothing happens after `notAfter` on the server's clock. As in Redisson, the time to live is removed.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/permit-pool.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now, 0 } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now, 0 } end
local answered = redis.call('GET', marker)
if answered then return { answered, '', now, pool.available } end
if math.abs(pool.available + delta) > most then return { 'too-many', '', now, pool.available } end

redis.call('SET', marker, 'added', 'PX', keep)
redis.call('SET', permits, pool.available + delta)
if delta > 0 then redis.pcall(publish, channel, delta) end
return { 'added', '', now, pool.available + delta }
