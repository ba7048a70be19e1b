-- Tells those that wait for a lock in how many ms it ends, if that is sooner than `before`, its time to live until now:
-- they sleep until the end that they know. Redisson ignores numbers other than 0 and 1. Without the right to publish,
-- they notice at their next safety poll. `passed`: ms from when `before` was read until `left` was, nil for none: up to Redis
-- 7.0, time goes on while a script runs.
local function tellShorter(before, left, channel, publish, passed)
  if before == -1 or left + (passed or 0) < before then redis.pcall(publish, channel, math.max(2, left)) end
end
