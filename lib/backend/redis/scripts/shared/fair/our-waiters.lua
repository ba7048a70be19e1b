-- Client ids of Redisson are UUIDs of version 4, and ours are of version 8.
local function isOurs(waiter)
  return string.sub(waiter, 15, 15) == '8'
end

-- The channel on which the client of a waiter of ours hears of the lock; nil for other waiters. Those have one each.
local function clientChannel(channel, waiter)
  local client = isOurs(waiter) and string.match(waiter, '^(.+):%d+$')
  return client and channel .. ':' .. client or nil
end
