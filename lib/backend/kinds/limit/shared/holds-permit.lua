-- Returns whether an owner has a permit; false as well if a key of another type has taken the name.
local function holdsPermit(permits, owner, now)
  if redis.call('TYPE', permits).ok ~= 'zset' then return false end
  local deadline = redis.call('ZSCORE', permits, owner)
  return deadline and tonumber(deadline) > now or false
end
