-- Redisson's clients are UUIDs of version 4, ours of version 8.
local function isOurs(waiter)
  return string.sub(waiter, 15, 15) == '8'
end

-- How long a queue is kept beyond the last deadline in it, ms, and by how much less the deadlines are. That difference is
-- the mark of a queue in which only we wait: Redisson's multi-lock gives all keys of a lock one and the same end.
local QUEUE_GRACE = 60000
local MARK = 1000

-- Whether only we wait, told without reading the queue: it has our mark, and the last in it is ours. A Java waiter joins at
-- the end and leaves the mark as it is; but then the last is not ours, and whoever of us comes to stand behind it takes
-- the mark away. The last is looked up by the number of deadlines: there are as many places, or it is not found there.
-- False where the queue has to be read to tell.
local function onlyOurs(queue, deadlines)
  local ends = redis.call('PTTL', deadlines)
  if ends <= 0 or redis.call('PTTL', queue) < ends + MARK / 2 then return false end
  local count = redis.call('ZCARD', deadlines)
  local last = redis.call('LINDEX', queue, count - 1)
  return last and isOurs(last) and not redis.call('LINDEX', queue, count)
end

-- The same, by reading the queue.
local function areOurs(waiters)
  for _, waiter in ipairs(waiters) do
    if not isOurs(waiter) then return false end
  end
  return true
end

-- A queue in which only we wait ends by itself when the last of us must be dead. One in which Redisson waits has no end,
-- as Redisson expects.
local function limitQueue(queue, deadlines, hasEnd, now)
  if hasEnd then
    local last = tonumber(redis.call('ZREVRANGE', deadlines, 0, 0, 'WITHSCORES')[2])
    local ends = math.ceil(math.max(last or now, now) - now) + QUEUE_GRACE
    redis.call('PEXPIRE', queue, ends)
    redis.call('PEXPIRE', deadlines, ends - MARK)
  else
    redis.call('PERSIST', queue)
    redis.call('PERSIST', deadlines)
  end
end

-- Redisson: whoever leaves takes its own wait off the deadlines of those behind it, which were counted on top of its own.
-- On top of ours nothing is counted. To be asked while the leaver still has its place.
local function countedOn(queue, leaver)
  if isOurs(leaver) then return {} end
  local waiters, isBehind = {}, false
  for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    if isBehind then waiters[#waiters + 1] = waiter end
    isBehind = isBehind or waiter == leaver
  end
  return waiters
end

local function lower(deadlines, waiters, slot)
  -- One that has no deadline is not given one that has passed.
  for _, waiter in ipairs(waiters) do redis.call('ZADD', deadlines, 'XX', 'INCR', -slot, waiter) end
end

-- What a Java peer takes off the deadlines behind it when it leaves: its wait, or Redisson's default of that.
local REDISSON_WAIT = 300000

-- The instant on top of which a place behind a Java waiter is counted, given that of those before it: when every Java peer
-- ahead has left and taken its own wait off, what is left is still to come. Ours say again and again that they live, so
-- however many of them have died, they hold up those behind them for one slot.
local function behindJava(deadline, last)
  return math.max(last + REDISSON_WAIT, deadline or 0)
end

-- Half a millisecond less marks a deadline of ours that counts Java waiters ahead.
local BOOKED = 0.5

-- Until when a place of ours is kept, given the instant on top of which it is counted: that of a Java waiter may have
-- half a millisecond itself, which it took over from a place of ours ahead.
local function keptUntil(last, slot, now)
  return math.ceil(last + slot) - (last > now and BOOKED or 0)
end

-- What was booked for Java waiters is too much once they have left and have taken less off. A process that lives sets its
-- deadlines anew at its next `keep`; one that has died leaves minutes on a lock that is free. Gives a lower deadline where
-- that is so.
local function withoutExcess(deadline, slot, now)
  if not deadline or deadline % 1 ~= BOOKED then return nil end
  local enough = keptUntil(now, slot, now)
  return enough < deadline and enough or nil
end

-- Takes such an excess off the places of ours at the front, and gives until when the head keeps its place. Reads the queue
-- only where the head has one.
local function endBookings(queue, deadlines, head, deadline, slot, now)
  local lowered = head and isOurs(head) and withoutExcess(deadline, slot, now)
  if not lowered then return deadline end
  local waiters = redis.call('LRANGE', queue, 0, -1)
  -- First, because it is allowed when memory is used up, and so allows the rest.
  limitQueue(queue, deadlines, areOurs(waiters), now)
  for _, waiter in ipairs(waiters) do
    if not isOurs(waiter) then break end
    local enough = withoutExcess(tonumber(redis.call('ZSCORE', deadlines, waiter)), slot, now)
    if enough then redis.call('ZADD', deadlines, enough, waiter) end
  end
  -- Once more, by what the deadlines are now.
  limitQueue(queue, deadlines, areOurs(waiters), now)
  return lowered
end
