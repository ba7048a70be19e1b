--- Sets the time that a permit lasts from now, after expired permits have returned to the pool.
--- key permits
--- key deadlines
--- arg id: string
--- arg lease: number
--- arg notAfter: number
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'held' | 'not-held' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
--- invariant An expired permit is not restored, and nothing happens after `notAfter` on the server's clock.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/from-hex.lua
--- include kinds/permits/shared/permit-pool.lua
--- include kinds/permits/shared/no-deadline.lua
--- include kinds/permits/shared/sweep-permits.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
sweepPermits(permits, deadlines, channel, publish, now)
local permit = fromHex(id)
local before = redis.call('ZSCORE', deadlines, permit)
if not before then return { 'not-held', '', now } end
-- A lease below zero means no lease.
local deadline = lease < 0 and NO_DEADLINE or now + lease
redis.call('ZADD', deadlines, deadline, permit)
-- Those that wait sleep until the end that they know. Redisson wakes as many waiters as the number says: one of them asks,
-- and the others hear when the permit is back.
if deadline < tonumber(before) then redis.pcall(publish, channel, '1') end
return { 'held', '', now }
