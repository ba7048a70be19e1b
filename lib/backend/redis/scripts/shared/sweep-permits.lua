-- Returns permits whose lease is over to the pool, at most `limit` of them where there is one, and tells the waiters.
-- Gives their number.
local function sweepPermits(permits, deadlines, channel, publish, now, limit)
  local swept = 0
  if limit then
    for _, permit in ipairs(redis.call('ZRANGEBYSCORE', deadlines, 0, now, 'LIMIT', 0, limit)) do
      swept = swept + redis.call('ZREM', deadlines, permit)
    end
  else
    -- Also where nothing is over: a write that is allowed when memory is used up allows the rest of the script.
    swept = redis.call('ZREMRANGEBYSCORE', deadlines, 0, now)
  end
  if swept > 0 then
    local available = redis.call('INCRBY', permits, swept)
    if available > 0 then redis.pcall(publish, channel, available) end
  end
  return swept
end
