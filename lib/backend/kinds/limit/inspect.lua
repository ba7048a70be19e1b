--- Returns whether any permit is in use, 1 if the given owner has one, and the time until the last of them ends.
--- key permits
--- arg owner: string
--- reply [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
--- invariant Changes nothing.
--- include kinds/shared/server-now.lua
--- include kinds/limit/shared/stored-limit.lua
--- include kinds/limit/shared/permits-in-use.lua
--- include kinds/limit/shared/holds-permit.lua
local limit, found = storedLimit(permits)
if not limit then return { 'wrong-type', found, 0, 0 } end
local now = serverNow()
if limit == 0 or permitsInUse(permits, now) == 0 then return { 'free', '', 0, -2 } end
local last = redis.call('ZREVRANGE', permits, 0, 0, 'WITHSCORES')
return { 'locked', '', holdsPermit(permits, owner, now) and 1 or 0, tonumber(last[2]) - now }
