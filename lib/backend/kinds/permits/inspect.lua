--- Returns the numbers of permits available and in use, after expired permits have returned to the pool.
--- key permits
--- key deadlines
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'set' | 'unset' | 'wrong-type' | 'wrong-deadlines', detail: string, available: number, out: number]
--- invariant Changes nothing else.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/permit-pool.lua
--- include kinds/permits/shared/sweep-permits.lua
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, 0, 0 } end
local swept = sweepPermits(permits, deadlines, channel, publish, serverNow())
local outcome = (pool.isSet or swept > 0) and 'set' or 'unset'
return { outcome, '', pool.available + swept, pool.out - swept }
