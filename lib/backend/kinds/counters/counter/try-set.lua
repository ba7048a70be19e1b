--- Sets the number if there is none, and notifies waiters.
--- key counter
--- key marker
--- arg count: number
--- arg ttl: number
--- arg channel: string
--- arg publish: string
--- arg message: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'set' | 'exists' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/answer-once.lua
local now, answer, _, found = answerOnce(counter, marker, notAfter)
if answer then return answer end

local outcome = found == 'none' and 'set' or 'exists'
redis.call('SET', marker, outcome, 'PX', keep)
if outcome == 'exists' then return { outcome, '', now } end
-- One command, so that a number with a time to live never stays because the rest was refused.
if ttl > 0 then redis.call('SET', counter, count, 'PX', ttl) else redis.call('SET', counter, count) end
redis.pcall(publish, channel, message)
return { outcome, '', now }
