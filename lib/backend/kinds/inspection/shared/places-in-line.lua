-- Returns the waiters of a fair lock whose places have not ended, in order, and how many there are about; the type of a
-- key that is no queue.
local function placesIn(queue, deadlines, now, most)
  local waiters = redis.pcall('LRANGE', queue, 0, most - 1)
  if waiters.err then
    local found = redis.pcall('TYPE', queue)
    return { type = found.ok, count = 0, members = {} }
  end
  local alive = {}
  for _, waiter in ipairs(waiters) do
    local deadline = redis.pcall('ZSCORE', deadlines, waiter)
    if type(deadline) ~= 'string' or tonumber(deadline) > now then alive[#alive + 1] = waiter end
  end
  local all = #waiters < most and 0 or redis.pcall('ZCARD', deadlines)
  return { count = math.max(#alive, tonumber(all) or 0), members = alive }
end
