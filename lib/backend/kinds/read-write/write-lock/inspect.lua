--- Returns whether there is a writer, the hold count of the given owner, and the time until the lock ends.
--- key lock
--- arg owner: string
--- reply [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
--- invariant Changes nothing.
--- include kinds/read-write/shared/read-write-state.lua
--- include kinds/read-write/shared/write-count.lua
local mode, found = modeOf(lock)
if not mode then return { 'wrong-type', found, 0, 0 } end
return { mode == 'write' and 'locked' or 'free', '', writeCount(lock, owner), redis.call('PTTL', lock) }
