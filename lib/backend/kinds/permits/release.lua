--- Returns one permit to the pool, even if its lease is over, and notifies waiters of the number available.
--- key permits
--- key deadlines
--- arg id: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'expired' | 'not-held' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
--- invariant Repeating the request has one effect.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/from-hex.lua
--- include kinds/permits/shared/permit-pool.lua
local now = serverNow()
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
local permit = fromHex(id)
local deadline = redis.call('ZSCORE', deadlines, permit)
if not deadline then return { 'not-held', '', now } end
redis.call('ZREM', deadlines, permit)
local available = redis.call('INCRBY', permits, 1)
-- Redisson's listeners fail on a number below zero, and no waiter could take a permit then.
if available >= 0 then redis.pcall(publish, channel, available) end
return { tonumber(deadline) > now and 'released' or 'expired', '', now }
