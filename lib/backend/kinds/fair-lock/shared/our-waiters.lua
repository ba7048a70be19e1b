-- Client ids of Redisson are UUIDs of version 4, and ours are of version 8.
local function isOurs(waiter)
  return string.sub(waiter, 15, 15) == '8'
end

-- Redisson lets the locks `job` and `{job}` share a queue and a channel. Owners of ours that wait for a name with braces
-- have negative numbers.
local function hasBraces(waiter) return string.find(waiter, ':%-%d+$') ~= nil end

-- Returns whether a waiter of ours waits for this lock, and not for the other one of the queue.
local function waitsFor(waiter, lock) return hasBraces(waiter) == (string.find(lock, '{', 1, true) ~= nil) end

-- The channel on which the client of a waiter of ours hears of its lock; nil for other waiters. Those have one each.
local function clientChannel(channel, waiter)
  if not isOurs(waiter) then return nil end
  local client = string.match(waiter, '^(.+):%-?%d+$')
  return client and channel .. (hasBraces(waiter) and '::' or ':') .. client
end
