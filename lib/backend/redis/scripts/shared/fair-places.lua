-- Redisson's clients are UUIDs of version 4, ours of version 8.
local function isOurs(waiter)
  return string.sub(waiter, 15, 15) == '8'
end

-- How long a queue is kept beyond the last deadline in it, ms.
local QUEUE_GRACE = 60000

-- A queue in which only we wait ends by itself when the last of us must be dead. One in which Redisson waits has no end,
-- as Redisson expects.
local function limitQueue(queue, deadlines, last, now)
  for _, key in ipairs({ queue, deadlines }) do
    if last then redis.call('PEXPIRE', key, math.ceil(last - now) + QUEUE_GRACE) else redis.call('PERSIST', key) end
  end
end

-- The last deadline in a queue in which only we wait; nothing in any other.
local function lastOfOurs(queue, deadlines)
  for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    if not isOurs(waiter) then return nil end
  end
  return tonumber(redis.call('ZREVRANGE', deadlines, 0, 0, 'WITHSCORES')[2])
end

-- Redisson: whoever leaves takes its own wait off the deadlines of those behind it, which were counted on top of its own.
-- On top of ours nothing is counted.
local function lower(deadlines, waiters, from, leaver, slot)
  if isOurs(leaver) then return end
  -- One that has no deadline is not given one that has passed.
  for i = from, #waiters do redis.call('ZADD', deadlines, 'XX', 'INCR', -slot, waiters[i]) end
end

-- What a Java peer takes off the deadlines behind it when it leaves: its wait, or Redisson's default of that.
local REDISSON_WAIT = 300000

-- The instant on top of which a place behind this waiter is counted, given that of those before it: when every Java peer
-- ahead has left and taken its own wait off, what is left is still to come. Ours say again and again that they live, so
-- however many of them have died, they hold up those behind them for one slot.
local function behind(waiter, deadline, last)
  if isOurs(waiter) then return last end
  return math.max(last + REDISSON_WAIT, deadline or 0)
end
