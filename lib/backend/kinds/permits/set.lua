--- Sets the total number of permits, including those in use, and notifies waiters.
--- key permits
--- key deadlines
--- arg total: number
--- arg notAfter: number
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'set' | 'late' | 'wrong-type' | 'wrong-deadlines', detail: string, now: number]
--- invariant Repeating the request has one effect, and nothing happens after `notAfter` on the server's clock.
--- invariant If more permits are in use than the new total, the number available is below zero until they have
---   returned.
--- include kinds/shared/server-now.lua
--- include kinds/permits/shared/permit-pool.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local pool, problem, found = permitPool(permits, deadlines)
if not pool then return { problem, found, now } end
if not pool.isSet then
  redis.call('SET', permits, total)
elseif pool.available + pool.out ~= total then
  redis.call('INCRBY', permits, total - pool.available - pool.out)
else
  return { 'set', '', now }
end
redis.pcall(publish, channel, total)
return { 'set', '', now }
