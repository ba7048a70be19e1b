--- Returns whether the lock is held, the hold count of the given owner, and the time until the lock ends.
--- key lock
--- arg owner: string
--- reply [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
--- invariant Changes nothing.
--- include kinds/shared/sole-hold.lua
local holder, found = soleHold(lock)
if not holder then return { 'wrong-type', found, 0, 0 } end
return { holder == '' and 'free' or 'locked', '', holder == owner and found or 0, redis.call('PTTL', lock) }
