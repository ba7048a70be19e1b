--- Sets the time that the permit of an owner lasts from now: to re-enter, to release a hold that is not the last, to
--- extend. The next waiter is told if it ends sooner than before. Holds are counted by the owner's process: on the server
--- they are one permit.
--- key permits
--- arg owner: string
--- arg lease: number
--- arg channel: string
--- arg turns: string
--- arg publish: string
--- arg notAfter: number
--- reply [outcome: 'held' | 'lost' | 'late', now: number]
--- invariant Repeating the request has one effect: owner ids are never shared.
--- invariant It never acquires a permit, and nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/holds-permit.lua
--- include kinds/limit/shared/keep-permit.lua
--- include kinds/limit/shared/places.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
if not holdsPermit(permits, owner, now) then return { 'lost', now } end
local before = tonumber(redis.call('ZSCORE', permits, owner))
keepPermit(permits, owner, lease, now)
-- Each waiter is measured by its own limit: it asks when the permit that it waits for ends.
if now + lease < before then tellNext(headOf(permits, now), channel, turns, publish) end
return { 'held', now }
