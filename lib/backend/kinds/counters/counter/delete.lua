--- Deletes the number, and notifies waiters if there is a message for them.
--- key counter
--- key marker
--- arg channel: string
--- arg publish: string
--- arg message: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'deleted' | 'none' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant Deletes only a number, never a key of another type, and nothing after `notAfter` on the server's clock.
--- invariant The first write is one that a server without free memory allows.
--- include kinds/shared/answer-once.lua
local now, answer = answerOnce(counter, marker, notAfter)
if answer then return answer end

local outcome = redis.call('DEL', counter) == 1 and 'deleted' or 'none'
redis.call('SET', marker, outcome, 'PX', keep)
if outcome == 'deleted' and message ~= '' then redis.pcall(publish, channel, message) end
return { outcome, '', now }
