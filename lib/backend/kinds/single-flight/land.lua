--- Stores the result of a flight for other callers, while its owner has the lock.
--- key lock
--- key result
--- arg owner: string
--- arg keep: number
--- arg notAfter: number
--- arg text: string
--- reply [outcome: 'kept' | 'lost' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant An owner that has lost the lock overwrites nothing: another flight may have stored its result meanwhile.
--- invariant Repeating the request stores the same text; nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/hold-count.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
if holdCount(lock, owner) == 0 then return { 'lost', '', now } end
local found = redis.call('TYPE', result).ok
if found ~= 'none' and found ~= 'string' then return { 'wrong-type', found, now } end
redis.call('SET', result, string.format('%.0f', now) .. ':' .. text, 'PX', keep)
return { 'kept', '', now }
