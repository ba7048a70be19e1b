--- Makes an owner that acts under the lock the holder in place of the owner of a token, for a time from now.
--- key lock
--- arg from: string
--- arg to: string
--- arg lease: number
--- arg notAfter: number
--- arg channel: string
--- arg publish: string
--- arg entries: string
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- grants
--- invariant Repeating the request has one effect, and never shortens what the new owner has extended.
--- invariant It never acquires a lock that is free, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/shared/take-over.lua
--- include kinds/shared/set-lease.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
local function keep() setLease(lock, lease, channel, publish, entries) end
return { takeOver(lock, from, to, lease, keep), now }
