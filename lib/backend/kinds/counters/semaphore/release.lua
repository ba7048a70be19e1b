--- Adds permits and notifies waiters of the new number.
--- key semaphore
--- key marker
--- arg permits: number
--- arg most: number
--- arg create: number
--- arg channel: string
--- arg publish: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'released' | 'not-set' | 'too-many' | 'late' | 'wrong-type', detail: string, now: number, available: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant A missing semaphore is created only if `create` is 1; the time to live stays.
--- invariant The first write is one that a server without free memory allows; nothing happens after `notAfter` on its
---   clock.
--- include kinds/shared/answer-once.lua
local now, answer, available, found = answerOnce(semaphore, marker, notAfter)
if answer then
  answer[4] = available or 0
  return answer
end
if available + permits > most then return { 'too-many', '', now, available } end

-- Deletes nothing: a server without free memory allows this write, and then allows the rest of the script.
redis.call('DEL', marker)
local outcome = (found == 'none' and create == 0) and 'not-set' or 'released'
redis.call('SET', marker, outcome, 'PX', keep)
if outcome == 'not-set' then return { outcome, '', now, 0 } end
available = redis.call('INCRBY', semaphore, permits)
-- Redisson's listeners fail on a number below zero, and no waiter could take a permit then.
if available >= 0 then redis.pcall(publish, channel, available) end
return { outcome, '', now, available }
