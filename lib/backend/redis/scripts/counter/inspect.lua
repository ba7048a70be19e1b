--- Tells the number, 0 where there is none.
--- key counter
--- reply [outcome: 'set' | 'none' | 'wrong-type', detail: string, count: string]
--- invariant Changes nothing.
--- include shared/count-under.lua
local count, found = countUnder(counter)
if not count then return { 'wrong-type', found, '0' } end
-- As text: the largest are not read exactly as numbers of the protocol by every client.
return { found == 'none' and 'none' or 'set', '', string.format('%.0f', count) }
