--- Sets how often an owner that has the lock holds it, and for how long from now: to re-enter, to leave but not as the
--- last, to extend.
--- key lock
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg notAfter: number
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Executed any number of times it has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never takes a lock, and nothing happens after `notAfter` on the server's clock.
--- include shared/server-now.lua
--- include shared/hold-count.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = holdCount(lock, owner)
if held == 0 then return { 'lost', now } end
-- PEXPIRE goes first: it is allowed when memory is used up, and so allows the rest of the script.
redis.call('PEXPIRE', lock, lease)
if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end
return { 'held', now }
