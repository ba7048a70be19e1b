--- Sets the hold count of an owner that has the fair lock, and the time that it lasts from now: to re-enter, to release a
--- hold that is not the last, to extend. The head of the queue is told if it ends sooner than before.
--- key lock
--- key queue
--- key deadlines
--- arg owner: string
--- arg count: number
--- arg lease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect, whatever count it finds: owner ids are never shared.
--- invariant It never acquires a lock, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/hold-count.lua
--- include kinds/fair-lock/shared/set-fair-lease.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local held = holdCount(lock, owner)
if held == 0 then return { 'lost', now } end
-- PEXPIRE comes first: a server without free memory allows it, and then allows the rest of the script.
setFairLease(lock, queue, deadlines, lease, channel, publish, now)
if held ~= count then redis.call('HINCRBY', lock, owner, count - held) end
return { 'held', now }
