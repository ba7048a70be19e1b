-- Gives an owner a permit, and removes those that have ended. Returns an error of the server, after which the owner has
-- none.
local function takePermit(permits, owner, lease, limit, inUse, now)
  redis.call('ZADD', permits, now + lease, owner, limit, 'limit')
  -- A server that grants the right to ZADD but not to PEXPIRE must not keep a set without a time to live.
  local limited = redis.pcall('PEXPIRE', permits, math.max(redis.call('PTTL', permits), lease))
  if type(limited) == 'table' then
    redis.call('ZREM', permits, owner)
    if inUse == 0 then redis.call('DEL', permits) end
    return limited
  end
  -- Permits whose lease has ended. All limits are below 2^31.
  redis.call('ZREMRANGEBYSCORE', permits, 2147483648, now)
end
