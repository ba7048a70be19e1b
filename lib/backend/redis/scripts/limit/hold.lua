--- Sets the time that the permit of an owner lasts from now: to re-enter, to release a hold that is not the last, to
--- extend. Holds are counted by the owner's process: on the server they are one permit.
--- key permits
--- arg owner: string
--- arg lease: number
--- arg notAfter: number
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect: owner ids are never shared.
--- invariant It never acquires a permit, and nothing happens after `notAfter` on the server's clock.
--- include shared/server-now.lua
--- include shared/limit/holds-permit.lua
--- include shared/limit/keep-permit.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
if not holdsPermit(permits, owner, now) then return { 'lost', now } end
keepPermit(permits, owner, lease, now)
return { 'held', now }
