-- Returns expired permits to the pool, at most `limit` of them if there is a limit, and notifies waiters. Returns their
-- number.
local function sweepPermits(permits, deadlines, channel, publish, now, limit)
  local swept = 0
  if limit then
    for _, permit in ipairs(redis.call('ZRANGEBYSCORE', deadlines, 0, now, 'LIMIT', 0, limit)) do
      swept = swept + redis.call('ZREM', deadlines, permit)
    end
  else
    -- Runs even if nothing has expired: a server without free memory allows this write, and then allows the rest of the
    -- script.
    swept = redis.call('ZREMRANGEBYSCORE', deadlines, 0, now)
  end
  if swept > 0 then
    local available = redis.call('INCRBY', permits, swept)
    if available > 0 then redis.pcall(publish, channel, available) end
  end
  return swept
end
