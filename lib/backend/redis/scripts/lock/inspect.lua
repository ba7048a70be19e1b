--- Tells whether the lock is held, how often by the owner asked about, and for how much longer.
--- key lock
--- arg owner: string
--- reply [outcome: 'locked' | 'free' | 'wrong-type', detail: string, count: number, remaining: number]
--- invariant Changes nothing.
--- include shared/hold-count.lua
local count, found = holdCount(lock, owner)
if not count then return { 'wrong-type', found, 0, 0 } end
local remaining = redis.call('PTTL', lock)
return { remaining == -2 and 'free' or 'locked', '', count, remaining }
