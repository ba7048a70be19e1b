--- Takes permits if enough are available.
--- key semaphore
--- key marker
--- arg permits: number
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'taken' | 'too-few' | 'not-set' | 'late' | 'wrong-type', detail: string, now: number, available: number]
--- invariant Repeating the request has one effect as long as the marker exists: `keep` ms. The marker stores how many
---   permits to return if the reply is lost.
--- invariant The time to live stays, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/count-under.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now, 0 } end
local available, found = countUnder(semaphore)
if not available then return { 'wrong-type', found, now, 0 } end
if redis.call('EXISTS', marker) == 1 then return { 'taken', '', now, available } end
if found == 'none' then return { 'not-set', '', now, 0 } end
if available < permits then return { 'too-few', '', now, available } end
redis.call('SET', marker, permits, 'PX', keep)
return { 'taken', '', now, redis.call('DECRBY', semaphore, permits) }
