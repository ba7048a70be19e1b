--- Returns the permits of a semaphore whose permits have ids, available and in use, in one step.
--- key permits
--- arg deadlines: string
--- arg channel: string
--- arg publish: string
--- arg most: number
--- reply [found: string, now: number]
--- invariant Changes nothing, and refuses no data: whatever is found is returned, as JSON. Permits whose lease is over count
---   as available.
--- include kinds/shared/server-now.lua
--- include kinds/shared/count-under.lua
--- include kinds/shared/listeners.lua
--- include kinds/permits/shared/no-deadline.lua
local now = serverNow()
local available, kind = countUnder(permits)
local found = { type = kind, members = {}, remaining = {}, count = 0 }
found.deadlines = redis.call('TYPE', deadlines).ok
if found.deadlines == 'zset' then
  found.count = redis.call('ZCOUNT', deadlines, '(' .. now, '+inf')
  for i, permit in ipairs(redis.call('ZRANGEBYSCORE', deadlines, '(' .. now, '+inf', 'LIMIT', 0, most)) do
    local deadline = tonumber(redis.call('ZSCORE', deadlines, permit))
    found.members[i] = (permit:gsub('.', function(byte) return string.format('%02x', string.byte(byte)) end))
    found.remaining[i] = deadline >= NO_DEADLINE and -1 or math.ceil(deadline - now)
  end
  available = available and available + redis.call('ZCARD', deadlines) - found.count
end
found.available = available and string.format('%.0f', available)
found.listeners = listeners(channel, publish) or 0
return { cjson.encode(found), now }
