--- Lets a waiting writer count as waiting for `slot` ms from now.
--- key lock
--- arg stem: string
--- arg waiter: string
--- arg slot: number
--- arg notAfter: number
--- reply [outcome: 'announced' | 'late', now: number]
--- invariant Repeating the request has one effect. The lock itself is not touched.
--- invariant Nothing happens after `notAfter` on the server's clock: by then the writer may have been withdrawn.
--- include kinds/shared/server-now.lua
--- include kinds/read-write/shared/waiting-writers.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
announceWriter(lock, stem, waiter, now, slot)
return { 'announced', now }
