--- Returns the number, 0 if there is none, and the milliseconds until it expires, -1 if it does not.
--- key counter
--- reply [outcome: 'set' | 'none' | 'wrong-type', detail: string, count: string, remaining: number]
--- invariant Changes nothing.
--- include kinds/shared/count-under.lua
local count, found = countUnder(counter)
if not count then return { 'wrong-type', found, '0', -1 } end
-- Text, because not every client reads the largest numbers of the protocol exactly.
return { found == 'none' and 'none' or 'set', '', string.format('%.0f', count), redis.call('PTTL', counter) }
