--- Ends the holds of all readers and wakes the waiters. Their time-out keys are left to expire.
--- key lock
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held' | 'wrong-type', detail: string]
--- invariant Only a lock that is read is deleted: neither a writer's, nor a key of another type.
--- include shared/read-write-mode.lua
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found } end
if mode ~= 'read' then return { 'not-held', '' } end
redis.call('DEL', lock)
redis.pcall(publish, channel, '0')
return { 'released', '' }
