--- include kinds/fair-lock/shared/fair-places.lua
--- include kinds/fair-lock/shared/fair-queue.lua
-- Returns the first waiter of ours whose place has not ended, and its deadline. It asks for the lock when that ends without
-- a release, and tells those of Redisson ahead of it, which sleep on until the place before theirs ends.
local function nextOfOurs(queue, deadlines, now)
  local index, waiter = 0, headOf(queue)
  while waiter do
    local deadline = tonumber(redis.pcall('ZSCORE', deadlines, waiter))
    if isOurs(waiter) and (deadline or now + 1) > now then return waiter, deadline end
    index = index + 1
    waiter = redis.call('LINDEX', queue, index)
  end
end

-- Tells the next waiter of ours that the lock ends in `lease` ms: sooner than it may know, or than others know.
local function tellNext(lock, queue, deadlines, channel, publish, lease, now)
  local waiter, deadline = nextOfOurs(queue, deadlines, now)
  if not waiter then return end
  -- A waiter that cannot be given the lock listens to its own channel only.
  local heard = firstLeaseIn(deadline) > 0 and clientChannel(channel, waiter) or channel .. ':' .. waiter
  -- One that waits for the other lock of the queue asks at once: it may know better when that ends.
  redis.pcall(publish, heard, waitsFor(waiter, lock) and math.max(2, lease) or '0')
end
