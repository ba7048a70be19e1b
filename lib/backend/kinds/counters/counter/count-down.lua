--- Counts down by one; the last count deletes the latch and notifies waiters.
--- key latch
--- key marker
--- arg channel: string
--- arg publish: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'counted' | 'open' | 'late' | 'wrong-type', detail: string, now: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant A missing latch stays missing; waiters are notified only of the last count.
--- invariant The first write is one that a server without free memory allows; nothing happens after `notAfter` on its
---   clock.
--- include kinds/shared/answer-once.lua
local now, answer, count, found = answerOnce(latch, marker, notAfter)
if answer then return answer end

-- Deletes nothing: a server without free memory allows this write, and then allows the rest of the script.
redis.call('DEL', marker)
local outcome = found == 'none' and 'open' or 'counted'
redis.call('SET', marker, outcome, 'PX', keep)
if count > 1 then redis.call('DECR', latch) else redis.call('DEL', latch) end
-- A latch that was set to 0 is already open.
if count == 1 then redis.pcall(publish, channel, '0') end
return { outcome, '', now }
