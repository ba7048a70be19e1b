-- The permits of a limit are a sorted set: each owner with the end of its lease on the server's clock, and the member
-- 'limit' with the limit of the last owner that was admitted, a number far below any such instant. Returns that limit, 0
-- if there is no set; or nil and the type found instead.
local function storedLimit(permits)
  local found = redis.call('TYPE', permits).ok
  if found == 'none' then return 0 end
  if found ~= 'zset' then return nil, found end
  local limit = redis.call('ZSCORE', permits, 'limit')
  if not limit then return nil, 'zset that is no limit' end
  return tonumber(limit)
end
