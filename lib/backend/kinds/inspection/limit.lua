--- Returns the permits of a limit, and the places of those that wait for one, in one step.
--- key permits
--- arg records: string
--- arg channel: string
--- arg publish: string
--- arg most: number
--- reply [found: string, now: number]
--- invariant Changes nothing, and refuses no data: whatever is found is returned, as JSON.
--- include kinds/shared/server-now.lua
--- include kinds/shared/listeners.lua
--- include kinds/limit/shared/places.lua
local now = serverNow()
local kind = redis.call('TYPE', permits).ok
local found = { type = kind, members = {}, remaining = {}, records = {}, places = {}, count = 0, waiting = 0 }
if kind == 'zset' then
  found.limit = redis.call('ZSCORE', permits, 'limit')
  found.count = redis.call('ZCOUNT', permits, '(' .. now, '+inf')
  found.members = redis.call('ZRANGEBYSCORE', permits, '(' .. now, '+inf', 'LIMIT', 0, most)
  for i, owner in ipairs(found.members) do
    found.remaining[i] = math.ceil(tonumber(redis.call('ZSCORE', permits, owner)) - now)
    local record = redis.pcall('GET', records .. owner)
    if type(record) == 'string' then found.records[owner] = record end
  end
  found.waiting = redis.call('ZCOUNT', permits, '-inf', LAST_PLACE)
  for _, place in ipairs(redis.call('ZRANGEBYSCORE', permits, '-inf', LAST_PLACE, 'LIMIT', 0, most)) do
    local owner = string.sub(place, #'place ' + 1)
    local ends = -tonumber(redis.call('ZSCORE', permits, 'until ' .. owner) or '0')
    if ends > now then found.places[#found.places + 1] = owner else found.waiting = found.waiting - 1 end
  end
end
found.listeners = listeners(channel, publish) or 0
return { cjson.encode(found), now }
