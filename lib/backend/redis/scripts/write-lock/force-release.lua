--- Ends the hold of the writer, also what it reads, and wakes the waiters.
--- key lock
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held' | 'wrong-type', detail: string]
--- invariant Only a lock that is written is deleted: neither that of readers, nor a key of another type.
--- include shared/read-write-mode.lua
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found } end
if mode ~= 'write' then return { 'not-held', '' } end
redis.call('DEL', lock)
redis.pcall(publish, channel, '1')
return { 'released', '' }
