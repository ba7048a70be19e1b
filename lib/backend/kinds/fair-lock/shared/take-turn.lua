--- include kinds/shared/take-lock.lua
--- include kinds/fair-lock/shared/fair-places.lua
-- Gives the free lock to `owner`, which is the head of the queue or does not queue, and ends its place. Returns the
-- server's refusal if that fails.
local function takeTurn(lock, queue, deadlines, owner, lease, slot, now)
  local refused = takeLock(lock, owner, lease)
  if refused then return refused end
  local isKnown = onlyOurs(queue, deadlines)
  local lowered = countedOn(queue, owner)
  redis.call('LPOP', queue)
  redis.call('ZREM', deadlines, owner)
  lower(deadlines, lowered, slot)
  if redis.call('LINDEX', queue, 0) then
    limitQueue(queue, deadlines, isKnown or areOurs(redis.call('LRANGE', queue, 0, -1)), now)
  else
    -- Deadlines without places would keep their owners from queueing again.
    redis.call('DEL', deadlines)
  end
end
