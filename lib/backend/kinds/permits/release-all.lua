--- Returns permits to the pool, if the leases of all of them still run, and notifies waiters of their number.
--- key permits
--- key deadlines
--- arg channel: string
--- arg publish: string
--- args ids: string
--- reply [outcome: 'released' | 'not-held' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number, out: number]
--- invariant All or nothing: if nothing was done, `out` is the number of these permits that are not in the pool yet.
--- invariant Every possible first write is one that a server without free memory allows.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/from-hex.lua
--- include kinds/permits/shared/permit-pool.lua
--- include kinds/permits/shared/sweep-permits.lua
local now = serverNow()
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now, 0 } end
local out, inTime = 0, 0
for _, id in ipairs(ids) do
  local deadline = redis.call('ZSCORE', deadlines, fromHex(id))
  if deadline then out = out + 1 end
  if deadline and tonumber(deadline) > now then inTime = inTime + 1 end
end
if inTime < #ids then return { 'not-held', '', now, out } end

sweepPermits(permits, deadlines, channel, publish, now)
for _, id in ipairs(ids) do redis.call('ZREM', deadlines, fromHex(id)) end
redis.call('INCRBY', permits, #ids)
redis.pcall(publish, channel, #ids)
return { 'released', '', now, 0 }
