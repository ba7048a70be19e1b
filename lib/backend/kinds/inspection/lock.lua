--- Returns all that is stored of a lock, in one step: what is under its name, and in the keys beside it.
--- key lock
--- arg stem: string
--- arg records: string
--- arg token: string
--- arg queue: string
--- arg deadlines: string
--- arg waiters: string
--- arg channel: string
--- arg readWriteChannel: string
--- arg publish: string
--- arg most: number
--- reply [found: string, now: number]
--- invariant Changes nothing, and refuses no data: whatever is found is returned, as JSON.
--- invariant Reads a bounded number of fields and places, whatever their number.
--- include kinds/shared/server-now.lua
--- include kinds/shared/group-fields.lua
--- include kinds/shared/listeners.lua
--- include kinds/inspection/shared/inspected.lua
--- include kinds/inspection/shared/places-in-line.lua
--- include kinds/read-write/shared/waiting-writers.lua
local now = serverNow()
local kind = redis.call('TYPE', lock).ok
local found = { type = kind, ttl = redis.call('PTTL', lock), fields = {}, reads = {}, records = {} }

-- The longest of an owner's reads; one that is counted very often has no more time-outs than it could have made.
local function readsLast(owner, count)
  local longest = -2
  for n = 1, math.min(count, 100) do
    local left = redis.pcall('PTTL', stem .. owner .. ':rwlock_timeout:' .. n)
    -- Where the slot moves, the time-out may be on another server: it lasts no longer than the lock.
    longest = math.max(longest, type(left) == 'number' and left or found.ttl)
  end
  return longest
end

if kind == 'hash' then
  found.size = redis.call('HLEN', lock)
  found.mode = redis.call('HGET', lock, 'mode')
  -- A hash of an application may be large: of one that is no lock, only the size is of interest.
  found.isLock = found.size == 1 or found.mode == 'read' or found.mode == 'write' or onlyOfGroup(lock)
  if found.isLock then
    found.fields = found.size <= 3 * most and redis.call('HGETALL', lock)
      or redis.call('HRANDFIELD', lock, most, 'WITHVALUES')
  end
  for i = 1, #found.fields, 2 do
    local field, value = found.fields[i], found.fields[i + 1]
    local owner = isOwner(field) and field or isOwner(value) and value or string.gsub(field, ':write', '', 1)
    local record = redis.pcall('GET', records .. owner)
    if type(record) == 'string' then found.records[owner] = record end
    if found.mode and isOwner(field) and countIn(value) then found.reads[field] = readsLast(field, countIn(value)) end
  end
end

found.token = textUnder(token)
found.queue = placesIn(queue, deadlines, now, most)
found.clients = membersOf(waiters, '-inf', most)
found.writers = membersOf(writersKey(lock, stem), '(' .. now, most)
found.listeners = (listeners(channel, publish) or 0) + (listeners(readWriteChannel, publish) or 0)
return { cjson.encode(found), now }
