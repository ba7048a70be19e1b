--- Makes an owner that acts under the lock the holder in place of the owner of a token, for a time from now.
--- key lock
--- key queue
--- key deadlines
--- arg from: string
--- arg to: string
--- arg lease: number
--- arg channel: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- grants
--- invariant Repeating the request has one effect, and never shortens what the new owner has extended.
--- invariant It never acquires a lock that is free, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/take-over.lua
--- include kinds/fair-lock/shared/set-fair-lease.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local function keep() setFairLease(lock, queue, deadlines, lease, channel, publish, now) end
return { takeOver(lock, from, to, lease, keep), now }
