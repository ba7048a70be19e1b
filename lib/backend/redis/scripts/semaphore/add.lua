--- Changes the number of permits, takes the time to live, and tells the waiters how many there are now.
--- key semaphore
--- key marker
--- arg delta: number
--- arg most: number
--- arg channel: string
--- arg publish: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'added' | 'too-many' | 'late' | 'wrong-type', detail: string, now: number, available: number]
--- invariant Executed any number of times it has one effect and one answer, as long as the marker is there: `keep` ms.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include shared/server-now.lua
--- include shared/count-under.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now, 0 } end
local available, found = countUnder(semaphore)
if not available then return { 'wrong-type', found, now, 0 } end
local answered = redis.call('GET', marker)
if answered then return { answered, '', now, available } end
if math.abs(available + delta) > most then return { 'too-many', '', now, available } end

redis.call('SET', marker, 'added', 'PX', keep)
available = available + delta
redis.call('SET', semaphore, available)
-- Redisson publishes those below zero as well, and its own listeners fail on them.
if available >= 0 then redis.pcall(publish, channel, available) end
return { 'added', '', now, available }
