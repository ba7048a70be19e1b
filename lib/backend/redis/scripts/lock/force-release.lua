--- Ends the hold of whoever has it and wakes the waiters.
--- key lock
--- arg channel: string
--- arg publish: string
--- reply [outcome: 'released' | 'not-held' | 'wrong-type', detail: string]
--- invariant Only a lock is deleted, never a key of another type.
local found = redis.call('TYPE', lock).ok
if found == 'none' then return { 'not-held', '' } end
if found ~= 'hash' then return { 'wrong-type', found } end
if redis.call('HGET', lock, 'mode') then return { 'wrong-type', 'hash of a read-write lock' } end
redis.call('DEL', lock)
if publish ~= '' then redis.pcall(publish, channel, '0') end
return { 'released', '' }
