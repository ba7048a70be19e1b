--- Sets the hold count of an owner that has the lock, and the time that it lasts from now: to re-enter, to release a
--- hold that is not the last, to extend. Those that wait are told if it ends sooner than before: of a silent lock, which has
--- `entries`, only if they wait in turn.
--- key lock
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg notAfter: number
--- arg channel: string
--- arg publish: string
--- arg entries: string
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never acquires a lock, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/hold-count.lua
--- include kinds/shared/set-lease.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = holdCount(lock, owner)
if held == 0 then return { 'lost', now } end
-- PEXPIRE comes first: a server without free memory allows it, and then allows the rest of the script.
setLease(lock, lease, channel, publish, entries)
if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end
return { 'held', now }
