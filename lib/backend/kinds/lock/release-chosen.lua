--- Releases the lock of an owner that an application has chosen, as `release` does, unless the request is late.
--- key lock
--- arg owner: string
--- arg channel: string
--- arg publish: string
--- arg waiters: string
--- arg mayGrant: number
--- arg notAfter: number
--- reply [outcome: 'released' | 'passed-on' | 'not-held' | 'late', now: number]
--- invariant Nothing happens after `notAfter` on the server's clock: by then the same owner may have the lock again.
--- invariant With `mayGrant` 0, because the server may have forgotten a holder, it passes on nothing.
--- include kinds/shared/server-now.lua
--- include kinds/shared/drop-hold.lua
--- include kinds/shared/pass-on.lua
local now = serverNow()
if now > notAfter then return { 'late', now } end
if not dropHold(lock, owner) then return { 'not-held', now } end
local passes = mayGrant == 1 and redis.pcall('EXISTS', lock) == 0
local outcome = passes and passOn(lock, waiters, channel, publish, '', now)
if not outcome then redis.pcall(publish, channel, '0') end
return { outcome or 'released', now }
