--- Sets the time to live of the number, or removes it if `ttl` is 0.
--- key counter
--- key marker
--- arg ttl: number
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'changed' | 'unchanged' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant Without a number nothing is changed; nothing happens after `notAfter` on the server's clock.
--- invariant The first write is one that a server without free memory allows.
--- include kinds/shared/answer-once.lua
local now, answer = answerOnce(counter, marker, notAfter)
if answer then return answer end

local changed
if ttl > 0 then changed = redis.call('PEXPIRE', counter, ttl) else changed = redis.call('PERSIST', counter) end
local outcome = changed == 1 and 'changed' or 'unchanged'
redis.call('SET', marker, outcome, 'PX', keep)
return { outcome, '', now }
