--- Takes all available permits, and removes the time to live.
--- key semaphore
--- key marker
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'taken' | 'not-set' | 'late' | 'wrong-type', detail: string, now: number, drained: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms. The marker
---   stores how many permits to return if the reply is lost.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/count-under.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now, 0 } end
local available, found = countUnder(semaphore)
if not available then return { 'wrong-type', found, now, 0 } end
local drained = redis.call('GET', marker)
if drained then return { 'taken', '', now, tonumber(drained) } end
if found == 'none' then return { 'not-set', '', now, 0 } end
redis.call('SET', marker, available, 'PX', keep)
redis.call('SET', semaphore, 0)
return { 'taken', '', now, available }
