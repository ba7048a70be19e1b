--- Returns whether there are readers, the read count of the given owner, and the time until the lock ends.
--- key lock
--- arg owner: string
--- reply [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
--- invariant Changes nothing.
--- include kinds/read-write/shared/read-write-state.lua
--- include kinds/read-write/shared/read-count.lua
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, 0, 0 } end
-- A writer that reads as well has a field for each half, beside the mode.
local isRead = mode == 'read' or redis.call('HLEN', lock) > 2
return { isRead and 'locked' or 'free', '', readCount(lock, owner), redis.call('PTTL', lock) }
