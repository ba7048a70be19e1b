--- Deletes the number, and tells those who wait where there is something to tell.
--- key counter
--- key marker
--- arg channel: string
--- arg publish: string
--- arg message: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'deleted' | 'none' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Executed any number of times it has one effect and one answer, as long as the marker is there: `keep` ms.
--- invariant Only a number is deleted, never a key of something else, and nothing after `notAfter` on the server's clock.
--- invariant The first write is one that a server out of memory allows.
--- include shared/server-now.lua
--- include shared/count-under.lua
local now = serverNow()
if now > notAfter then return { 'late', '', now } end
local before, found = countUnder(counter)
if not before then return { 'wrong-type', found, now } end
local answered = redis.call('GET', marker)
if answered then return { answered, '', now } end

local outcome = redis.call('DEL', counter) == 1 and 'deleted' or 'none'
redis.call('SET', marker, outcome, 'PX', keep)
if outcome == 'deleted' and message ~= '' then redis.pcall(publish, channel, message) end
return { outcome, '', now }
