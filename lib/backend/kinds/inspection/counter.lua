--- Returns the number of a semaphore or latch, and how many clients wait for a change of it.
--- key counter
--- arg channel: string
--- arg publish: string
--- reply [found: string, text: string, listeners: number]
--- invariant Changes nothing. `found` is 'string', 'none', or what was found instead.
--- include kinds/shared/count-under.lua
--- include kinds/shared/listeners.lua
local count, found = countUnder(counter)
return { found, count and string.format('%.0f', count) or '', listeners(channel, publish) or 0 }
