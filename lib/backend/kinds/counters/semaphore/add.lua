--- Changes the number of permits, removes the time to live, and notifies waiters of the new number.
--- key semaphore
--- key marker
--- arg delta: number
--- arg most: number
--- arg channel: string
--- arg publish: string
--- arg keep: number
--- arg notAfter: number
--- reply [outcome: 'added' | 'too-many' | 'late' | 'wrong-type', detail: string, now: number, available: number]
--- invariant Repeating the request has one effect and one answer as long as the marker exists: `keep` ms.
--- invariant Nothing happens after `notAfter` on the server's clock.
--- include kinds/shared/answer-once.lua
local now, answer, available = answerOnce(semaphore, marker, notAfter)
if answer then
  answer[4] = available or 0
  return answer
end
if math.abs(available + delta) > most then return { 'too-many', '', now, available } end

redis.call('SET', marker, 'added', 'PX', keep)
available = available + delta
redis.call('SET', semaphore, available)
-- Redisson publishes numbers below zero as well, and its own listeners fail on them.
if available >= 0 then redis.pcall(publish, channel, available) end
return { 'added', '', now, available }
