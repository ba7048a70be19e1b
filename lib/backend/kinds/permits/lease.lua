--- Returns the rest of a permit's lease, after expired permits have returned to the pool.
--- key permits
--- key deadlines
--- arg id: string
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'held' | 'not-held' | 'wrong-type' | 'wrong-deadlines', detail: string, remaining: number]
--- invariant Changes nothing else.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/from-hex.lua
--- include kinds/permits/shared/permit-pool.lua
--- include kinds/permits/shared/no-deadline.lua
--- include kinds/permits/shared/sweep-permits.lua
local now = serverNow()
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, 0 } end
sweepPermits(permits, deadlines, channel, publish, now)
local deadline = tonumber(redis.call('ZSCORE', deadlines, fromHex(id)) or '')
if not deadline then return { 'not-held', '', 0 } end
return { 'held', '', deadline < NO_DEADLINE and math.ceil(deadline - now) or -1 }
