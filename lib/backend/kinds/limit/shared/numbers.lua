-- The numbers of permits, in the set of the permits: the member `number <owner>`, with -1 less the number. Those lie above
-- the instants of places, and below the limit.
local LEAST_NUMBER = -2147483648

-- Returns the number of an owner that has a permit: the lowest that no other permit has, if it has none yet.
local function takeNumber(permits, owner, now)
  local own = redis.call('ZSCORE', permits, 'number ' .. owner)
  if own then return -1 - tonumber(own) end
  local taken = {}
  local marks = redis.call('ZRANGEBYSCORE', permits, LEAST_NUMBER, -1, 'WITHSCORES')
  for i = 1, #marks, 2 do
    local deadline = redis.call('ZSCORE', permits, string.sub(marks[i], #'number ' + 1))
    if deadline and tonumber(deadline) > now then taken[-1 - tonumber(marks[i + 1])] = true
    else redis.call('ZREM', permits, marks[i]) end
  end
  local number = 0
  while taken[number] do number = number + 1 end
  redis.call('ZADD', permits, -1 - number, 'number ' .. owner)
  return number
end
