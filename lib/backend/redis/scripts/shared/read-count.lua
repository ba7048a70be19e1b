--- include shared/read-write-mode.lua
-- How often `owner` reads; 0 where it does not, or where the key is no read-write lock.
local function readCount(lock, owner)
  if not modeField(lock) then return 0 end
  return tonumber(redis.call('HGET', lock, owner) or '0')
end
