-- Returns the number of permits whose lease has not ended, whether or not the others have been removed since.
local function permitsInUse(permits, now)
  return redis.call('ZCOUNT', permits, '(' .. now, '+inf')
end
